import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../../cli/program.ts';
import { type ChildRun, isOver, pipeline, until } from '../pipelines/child_run.ts';
import { ROOT } from '../source_tree.ts';

const README = readFileSync(`${ROOT}README.md`, 'utf8');
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};

/** Splits a line of a shell into its words; quotes join words. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare!,
  );

/** Commands in the blocks of the README that have no language, as words, in order. */
const blockCommands = [...README.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  .filter(([, language]) => language === '')
  .flatMap(([, , block]) => block!.trim().split('\n'))
  .flatMap((line) => line.replace(/\s+#.*$/, '').split(' && '))
  .map(wordsOf);
/** Commands inside its sentences. */
const inlineCommands = [...README.matchAll(/`npx pipeline ([^`]+)`/g)].map(([, command]) =>
  wordsOf(command!),
);

/** Arguments of the program that a command starts; null: it runs the tests. */
function programArguments(command: readonly string[]): string[] | null {
  if (command[0] === 'npx' && command[1] === 'pipeline') return command.slice(2);
  const script = scripts[command[1] === 'run' ? command[2]! : command[1]!];
  if (command[0] !== 'npm' || script === undefined) throw new Error(`not a command: ${command.join(' ')}`);
  const [, started] = /node cli\/start\.mjs (.*)$/.exec(script) ?? [];
  return started === undefined ? null : wordsOf(started);
}

/** Parses a command line without running it. @throws if a command, an option or an argument is unknown */
async function parseOnly(args: readonly string[]): Promise<void> {
  const root = program();
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(root)) {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    if (command.commands.length === 0) command.action(() => undefined);
  }
  await root.parseAsync(['node', 'pipeline', ...args]);
}

/** Commands of the other pages; not the ones that describe their flags in brackets. */
const commandsOfPages = readdirSync(`${ROOT}docs`)
  .filter((name) => name.endsWith('.md'))
  .flatMap((page) =>
    [
      ...readFileSync(`${ROOT}docs/${page}`, 'utf8').matchAll(/(?:`|^)(?:npx )?pipeline ([a-z][^`\n]*)/gm),
    ].map(([, command]) => ({ page, args: wordsOf(command!.replace(/\s+#.*$/, '').split(' && ')[0]!) })),
  )
  .filter(({ args }) => !args.some((word) => word.startsWith('[')));

/** What a command prints that runs until it is stopped. */
const LASTING: Readonly<Record<string, RegExp>> = {
  serve: /http:\/\/\S+/,
  ops: /http:\/\/\S+/,
};
/** Needs the publishers' servers. */
const IS_ONLINE = (args: readonly string[]): boolean => args[0] === 'fetch';

describe('the commands of README.md', () => {
  let dir: string;
  const start = (args: readonly string[]): ChildRun => pipeline(args, { PIPELINE_DATA_DIR: dir });

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'readme-'));
  });
  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  it('are commands that the program takes', async () => {
    expect(blockCommands.length).toBeGreaterThan(15);
    expect(inlineCommands.length).toBeGreaterThan(3);
    for (const command of blockCommands.map(programArguments)) if (command) await parseOnly(command);
    for (const args of inlineCommands) await parseOnly(args);
    // Each short report ends with this command.
    await parseOnly(['report', '1', '--verbose']);
    await expect(parseOnly(['refresh', '--sett', 'x'])).rejects.toThrow(/unknown option/);
  });

  it('and those of docs are commands that the program takes', async () => {
    expect(commandsOfPages.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const { page, args } of commandsOfPages)
      await parseOnly(args).catch(({ message }: Error) => {
        // A sentence may name a command without its arguments.
        if (!/argument missing|missing required argument/.test(message))
          wrong.push(`${page}: ${args.join(' ')}: ${message}`);
      });
    expect(wrong).toEqual([]);
  });

  it('run on the sample country in their order, and the demo ends in lines for a person', async () => {
    for (const args of blockCommands.map(programArguments)) {
      if (args === null || IS_ONLINE(args)) continue;
      const lasting = LASTING[args[0]!];
      // The scripts name the folder of the demo, which here is another.
      const own = args.map((word) => word.replace(/^\.data\//, `${dir}/`));
      const run = start(lasting ? [...own, '--port', '0'] : own);
      if (lasting) {
        expect(await until(run, () => lasting.test(run.output())), run.output()).toBe(true);
        run.child.kill('SIGTERM');
      }
      const { code } = await run.ended;
      expect(isOver(run) && code, `${args.join(' ')}\n${run.output()}`).toBe(0);
      if (args[0] === 'demo') expectDemoEnd(run.stdout());
      if (args[0] === 'explain') expect(run.stdout(), args.join(' ')).toMatch(/release|comparable sales/);
    }
  });

  it('status and report after them are short, and no dataset of the sample is late', async () => {
    const status = start(['status', '--datasets']);
    expect((await status.ended).code, status.output()).toBe(0);
    expect(status.stdout()).toMatch(/^\d+ datasets loaded, 0 late/m);
    expect(status.stdout()).not.toMatch(/\bLATE\b/);
    const linesOf = async (...args: string[]): Promise<string[]> => {
      const report = start(['report', ...args]);
      expect((await report.ended).code, report.output()).toBe(0);
      return report.stdout().trim().split('\n');
    };
    expect((await linesOf()).length).toBeLessThan(25);
    const first = await linesOf('1');
    expect(first[0]).toMatch(/^run 1: published/);
    expect(first.filter((line) => line.startsWith('  loaded')).length).toBeLessThan(15);
    expect(first.at(-1)).toMatch(/report 1 --verbose$/);
    const all = await linesOf('1', '--verbose');
    expect(all.length).toBeGreaterThan(2 * first.length);
  });
});

/** Expects the demo's last lines: at most ten, with what was built, real values, two commands and the address of the console. */
function expectDemoEnd(output: string): void {
  const lines = output.trim().split('\n');
  const end = lines.slice(lines.findIndex((line) => line.startsWith('Built: ')));
  expect(end.length).toBeLessThanOrEqual(10);
  const text = end.join('\n');
  expect(text).toMatch(/^Built: [1-9][\d,]* properties, [1-9][\d,]* sales, [1-9][\d,]* valuations/);
  expect(text).toContain('GAVIC900000001');
  expect(text).toMatch(/basics\/land-area-sqm: land_area_sqm \d+/);
  expect(text).toMatch(/development\/zoning-code: \w+ \S+/);
  expect(text).toMatch(/valuation\/avm: \w+ \S+/);
  expect(text).not.toMatch(/no data|[{}]/);
  expect(text.match(/pipeline \w+/g)).toEqual(['pipeline ops', 'pipeline serve']);
  expect(text).toContain('http://127.0.0.1:8090');
}
