import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { program } from '../cli/program.ts';
import { graph } from '../pipelines/graph.ts';
import { configSchema } from '../schema/config.ts';
import { type CodeKind, PUBLIC_CODES } from '../schema/error_codes.ts';
import { RECORD_TABLES } from '../schema/records/index.ts';
import { SERVING_TABLES } from '../schema/serving/index.ts';
import type { Table } from '../schema/table.ts';
import { configKeys, generatedPages } from '../tools/scripts/generate_docs.ts';
import { LAYERS } from './layers.ts';
import { ROOT, type SourceFile, sourceFiles } from './source_tree.ts';

const OUTPUTS = graph(configSchema.parse({ datasets: {} })).map((stage) => stage.output);
const TABLES: readonly Table[] = [...RECORD_TABLES, ...OUTPUTS];
const read = (path: string): string => readFileSync(ROOT + path, 'utf8');
const README = read('README.md');

describe('generated documentation', () => {
  it.each([...generatedPages()])('%s is current (npm run docs)', (path, text) => {
    expect(read(path)).toBe(text);
  });
});

describe('tables', () => {
  it.each(TABLES.map((table) => [`${table.schema}.${table.name}`, table] as const))(
    '%s has a sentence for itself and each column',
    (_name, { doc, columns, primaryKey, indexes }) => {
      for (const [name, text] of [['(table)', doc], ...Object.entries(columns).map(([n, c]) => [n, c.doc])]) {
        expect(text, name).toMatch(/^\S.{3,}[.…]$/su);
      }
      for (const name of [...primaryKey, ...indexes.flatMap((index) => index.columns)])
        expect(Object.keys(columns)).toContain(name);
    },
  );

  it('are each made by one stage, every serving table among them', () => {
    expect(new Set(OUTPUTS).size).toBe(OUTPUTS.length);
    const served = OUTPUTS.filter((table) => table.schema === 'serving');
    expect(new Set(served)).toEqual(new Set(SERVING_TABLES));
  });
});

/** Where codes of one kind stand in the sources: each pattern's groups are codes. */
const PATTERNS: Readonly<Record<CodeKind, readonly [pattern: RegExp, where?: RegExp][]>> = {
  error: [
    [/\bnamedError\(\s*'([a-z_]+)'/g, /^store\/system\/system_error\.ts$/],
    [/new EtlError\(\s*'([a-z0-9_]+)'/g],
    [/'code', '([a-z_]+)', 'message'/g, /^pipelines\/run\/run_records\.ts$/],
    [/\?\? (?:\(.*?\? )?'(internal)'/g],
    [/queueError\([^,()]+,\s*'([a-z_]+)'/g, /^jobs\//],
  ],
  reject: [
    [/\breject(?:ed)?\(\s*(?:[\w.]+,\s*)?'([a-z0-9_]+)',/g, /^(sources|transforms)\//],
    [/\bcode: '([a-z0-9_]+)',\s*(?:file|message)\b/g, /^(sources|transforms|pipelines)\//],
    [/\bcode = [^;]*\? '([a-z_]+)' : '([a-z_]+)'/g, /^sources\//],
    [/\b(?:damaged(?:Feature)?|problem)\(\s*'([a-z_]+)',/g, /^sources\/(formats|market)\//],
  ],
  drop: [
    [/\bdrop\(\s*'([a-z0-9_]+)'/gi],
    [/\bdrop: '([a-z_]+)'/g, /^sources\//],
    [/\b(?:butNot|only)\([^;]*?, '([a-z_]+)',?\s*\)/g, /^sources\//],
    [/\bUNKNOWN_CLASS = '([a-z_]+)'/g],
    [/\bname: '([a-z0-9_]+)',\s*fields:/g, /field_maps\.ts$/],
    [/\bname: '([a-z0-9_]+)', fields:/g, /field_maps\.ts$/],
    [/\bdrop = [^;]*\? '([a-z_]+)'/g, /^sources\//],
    [/\bdrops\b[^;\n]*\{ ([a-z_]+): /g, /^(sources|pipelines\/stages)\//],
    [/\bname = [^;]*\? '([a-z_]+)' : '([a-z_]+)'/g, /^pipelines\/stages\//],
    [/\bdrops\.([a-z_]+) =/g, /^pipelines\/stages\//],
    [/\b(?:dropped|without): '([a-z_]+)'/g, /^pipelines\/stages\//],
    [/\bdropped: \{\s+([a-z_]+): /g, /^pipelines\/stages\//],
    [/\bdrop\([^;]*\? '([a-z_]+)' : '([a-z_]+)'\)/g, /^pipelines\/stages\//],
    [/\bdrops: Record<string, number> =[^;{]*\{ ([a-z_]+): /g, /^pipelines\/stages\//],
    [/\bstatus: '(ambiguous|no_match)'/g, /^transforms\/address\/match\//],
    [/\breturn '(not_a_[a-z]+)'/g, /^sources\/reaxml\//],
  ],
};

const SOURCES = sourceFiles(LAYERS).filter(({ path }) => !path.startsWith('schema/error_codes'));

function codesIn(files: readonly SourceFile[], kind: CodeKind): Map<string, string> {
  const found = new Map<string, string>();
  for (const [pattern, where] of PATTERNS[kind]) {
    for (const { path, text } of files) {
      if (where && !where.test(path)) continue;
      for (const match of text.matchAll(pattern)) {
        for (const code of match.slice(1)) if (code !== undefined) found.set(code, path);
      }
    }
  }
  return found;
}

describe.each(['error', 'reject', 'drop'] as const)('codes of kind %s', (kind) => {
  const listed = PUBLIC_CODES.filter((each) => each.kind === kind);
  const used = codesIn(SOURCES, kind);

  it('are listed where the code uses them', () => {
    const codes = new Set(listed.map((each) => each.code));
    const missing = [...used].filter(([code]) => !codes.has(code));
    expect(missing, 'add to schema/error_codes/').toEqual([]);
  });

  it('are used in the code if they are listed', () => {
    expect(listed.filter((each) => !used.has(each.code)).map((each) => each.code)).toEqual([]);
  });

  it('say what happened and what to do', () => {
    for (const { code, meaning, remedy } of listed) {
      expect(code).toMatch(/^[a-z][a-z0-9_]*$/);
      for (const text of [meaning, remedy]) expect(text, code).toMatch(/^[A-Z].*\.$/s);
    }
  });
});

describe('the pages of a user', () => {
  const every = (command: Command): Command[] => [command, ...command.commands.flatMap(every)];
  const all = every(program()).slice(1);
  /** `admin keys`: the words that call a command. */
  const words = (command: Command): string =>
    command.parent?.parent ? `${words(command.parent)} ${command.name()}` : command.name();

  it('fit the first one on a screen', () => {
    expect(Buffer.byteLength(README)).toBeLessThanOrEqual(10_000);
  });

  it('names every command', () => {
    const leaves = all.filter(({ commands }) => commands.length === 0).map(words);
    expect(leaves.length).toBeGreaterThan(20);
    expect(
      leaves.filter((name) => !read('docs/commands.md').match(new RegExp(`\\| \`${name}[\` ]`))),
    ).toEqual([]);
  });

  it('are all in the index', () => {
    const pages = readdirSync(`${ROOT}docs`).filter((name) => name !== 'README.md');
    expect(pages.filter((name) => !read('docs/README.md').includes(`](${name}`))).toEqual([]);
  });

  it('names every flag', () => {
    const flags = all.flatMap(({ options }) => options.map(({ long }) => long!));
    expect(flags.filter((flag) => !read('docs/commands.md').includes(flag))).toEqual([]);
  });

  it('names every key of the configuration, and each has a meaning', () => {
    const keys = configKeys();
    expect(keys.length).toBeGreaterThan(20);
    for (const { path, doc } of keys) {
      expect(read('docs/configuration.md')).toContain(`| \`${path}\` |`);
      expect(doc, path).toMatch(/\.$/);
    }
  });

  it('names every serving table at a glance', () => {
    const [glance] = read('docs/tables.md').split('<!-- generated:tables -->');
    for (const { name } of SERVING_TABLES) expect(glance).toContain(`\`${name}\``);
  });

  it('uses only scripts that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...README.matchAll(/\bnpm (?:run (?:-s )?)?([a-z]+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => !['run', 'ci', 'install'].includes(name) && !(name in scripts))).toEqual(
      [],
    );
  });
});

/** A file that a page names, by its path from the root. */
const NAMED = new RegExp(
  `\`((?:${[...LAYERS, 'docs', 'test', 'tools', 'config'].join('|')})/[\\w./-]*\\w\\.(?:ts|mjs|md|yaml))\``,
  'g',
);

describe('pages', () => {
  const pages = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`);

  it.each(['README.md', ...pages])('%s links and names only files that exist', (page) => {
    const text = read(page);
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) =>
      normalize(join(dirname(page), match[1]!)),
    );
    const names = [...text.matchAll(NAMED)];
    const missing = [...links, ...names.map((match) => match[1]!)].filter((path) => !existsSync(ROOT + path));
    expect(missing).toEqual([]);
  });

  it('have consecutive numbers and three parts if they are decisions', () => {
    const decisions = pages.filter((page) => page.startsWith('docs/decisions/')).sort();
    decisions.forEach((page, i) => {
      expect(page).toMatch(new RegExp(`/${String(i + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
      for (const part of ['## Context', '## Decision', '## Consequences'])
        expect(read(page), page).toContain(part);
    });
    expect(decisions.length).toBeGreaterThan(10);
  });
});
