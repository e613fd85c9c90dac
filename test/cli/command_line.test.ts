import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { explainedOf } from '../../cli/commands/explained_field.ts';
import { scheduleText } from '../../cli/commands/jobs.ts';
import { EXAMPLES } from '../../cli/examples.ts';
import { plural } from '../../cli/plural.ts';
import { program } from '../../cli/program.ts';
import { currentCommand, RENAMED } from '../../cli/renamed_commands.ts';
import { fieldNamed } from '../../pipelines/explain/value_history.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { ROOT } from '../source_tree.ts';

/** The command line, with commands that are parsed and do nothing. */
function parser(): Command {
  const root = program();
  const quiet = (command: Command): void => {
    command.action(() => undefined).configureOutput({ writeErr: () => undefined });
    for (const below of command.commands) quiet(below);
  };
  for (const command of root.commands) quiet(command);
  return root;
}
const parse = (args: readonly string[]): Promise<unknown> => parser().parseAsync(args, { from: 'user' });

/** The words of a line of a shell, without quotes. */
const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare!,
  );

/** Commands that the code blocks of a page run, without comments and variables. */
function linesOf(page: string): string[] {
  const text = readFileSync(`${ROOT}${page}`, 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].filter(([, language]) => language === '');
  return blocks
    .flatMap((block) => block[2]!.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/\s+#\s.*$/, '').replace(/^(?:\$ )?(?:[A-Z_]+=\S* )*/, ''))
    .flatMap((line) => line.split(/\s+(?:&&|\|)\s+/))
    .filter((line) => /^(npx pipeline|npm|pipeline) /.test(line));
}

describe('the first screen', () => {
  const root = program();
  const visible = root.createHelp().visibleCommands(root);

  it('shows at most 24 commands, each in a group', () => {
    expect(visible.length).toBeLessThanOrEqual(24);
    const groups = new Set(visible.map((command) => command.helpGroup()));
    expect([...groups].map((title) => title.split(',')[0])).toEqual([
      'Start',
      'Load',
      'Look',
      'Publish',
      'Serve',
      'Administer',
    ]);
  });

  it('keeps commands that it does not show', () => {
    const hidden = root.commands.filter((command) => !visible.includes(command));
    expect(hidden.map((command) => command.name())).toEqual([
      'sample',
      'match',
      'audit',
      'digest',
      'evaluate',
      'discard',
    ]);
  });

  it.each(Object.entries(EXAMPLES))('has an example of %s that can be typed', async (name, example) => {
    expect(words(example)).toContain(name);
    await expect(parse(words(example))).resolves.toBeDefined();
  });
});

describe('an earlier name', () => {
  it.each(Object.entries(RENAMED))(
    '%s says what it is now, and runs as that',
    async (name, { run, type }) => {
      const { args, hint } = currentCommand([name, '--json']);
      expect(hint).toContain(`npx pipeline ${type}`);
      expect(args).toEqual([...run, '--json']);
      expect(program().commands.map((command) => command.name())).not.toContain(name);
    },
  );

  it.each([
    'runs --limit 5',
    'publications --json',
    'sources --verbose',
    'feed --after 3',
    'enqueue cma',
    'enqueue --tables property',
    'keys revoke pk_5ja1Zxdj',
    'prices set /v1/geocode/address=2 --from 2027-01-01',
    'grant analyst',
  ])('%s takes its arguments along', async (line) => {
    await expect(parse(currentCommand(words(line)).args)).resolves.toBeDefined();
  });

  it('is not confused with a property of every object', () => {
    expect(currentCommand(['constructor'])).toEqual({ args: ['constructor'], hint: null });
  });
});

describe.each(['README.md', 'docs/service.md', 'docs/runbook.md', 'docs/configuration.md'])(
  'the code blocks of %s',
  (page) => {
    const lines = linesOf(page);
    const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
    it.each(lines)('%s is a command', async (line) => {
      const [runner, ...args] = words(line.replace(/^npx /, ''));
      if (runner === 'npm') expect(Object.keys(scripts)).toContain(args[0] === 'run' ? args[1] : args[0]);
      else await expect(parse(args)).resolves.toBeDefined();
    });
  },
);

describe('a value to explain', () => {
  it.each([
    ['land-area-sqm', 'property.land_area_sqm', null],
    ['basics/land-area-sqm', 'property.land_area_sqm', null],
    ['historical-flood', 'property_risk.nearest_distance_m', 'historical_flood'],
    ['property_zoning.code', 'property_zoning.code', null],
    ['profile', 'property_profile.suburb', null],
  ])('%s is a field that is served', (value, field, part) => {
    expect(explainedOf(value)).toEqual({ field, part });
    expect(fieldNamed(SERVING_TABLES, field).column).toBe(field.split('.')[1]);
  });

  it('is refused if its endpoint combines many values', () => {
    expect(() => explainedOf('transport/nearby')).toThrow(/combines many values.*basics\/land-area-sqm/);
  });
});

describe('texts', () => {
  it('have one row, and two rows', () => {
    expect([plural(0, 'row'), plural(1, 'row'), plural(2000, 'row')]).toEqual([
      '0 rows',
      '1 row',
      '2,000 rows',
    ]);
  });

  it('show a schedule in its own time zone, by the name that the zone has then', () => {
    const schedule = (timezone: string, next: string) => scheduleText({ cron: '0 2 * * *', timezone, next });
    expect(schedule('Australia/Melbourne', '2026-11-25T15:00:00.000Z')).toBe(
      "refresh at '0 2 * * *' Australia/Melbourne, next Thu 26 Nov 2026 02:00 AEDT",
    );
    expect(schedule('Australia/Melbourne', '2026-07-01T16:00:00.000Z')).toContain('2 July 2026 02:00 AEST');
    expect(schedule('Australia/Perth', '2026-11-25T18:00:00.000Z')).toContain('02:00 AWST');
  });
});
