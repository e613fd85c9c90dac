/**
 * Writes the documentation made from declarations: docs/errors.md, docs/field_maps.md, docs/contract.json, and sections of pages
 * in docs/ between `<!-- generated:NAME -->` and `<!-- /generated:NAME -->`.
 * Usage: npm run docs
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { EXIT } from '../../cli/exit.ts';
import type { Scope } from '../../pipelines/engine/input.ts';
import type { Stage } from '../../pipelines/engine/stage.ts';
import { graph } from '../../pipelines/graph.ts';
import { configSchema } from '../../schema/config.ts';
import { type CodeKind, PUBLIC_CODES } from '../../schema/error_codes.ts';
import { OPEN_LICENCES } from '../../schema/licence.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import { SERVING_TABLES, SERVING_VIEWS } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { ADAPTERS } from '../../sources/index.ts';
import { contractPages } from './contract/pages.ts';
import { tablesPicture } from './contract/picture.ts';
import { fieldMapsPage } from './field_maps_page.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const NOTICE = '<!-- Made by `npm run docs` from declarations in the code; edit those instead. -->';

/** A cell of a Markdown table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text: string): string => `\`${text}\``;
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

/** A leaf of the configuration as docs/configuration.md lists it. */
export interface ConfigKey {
  path: string;
  type: string;
  fallback: string;
  doc: string;
}

interface JsonSchema {
  type?: string | string[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  default?: unknown;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  minimum?: number;
  maximum?: number;
}

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}s`;
  const name = [schema.type ?? 'any'].flat().join(' or ').replace('object', 'mapping');
  const { minimum, maximum } = schema;
  return minimum === undefined
    ? name
    : `${name}, ${minimum} ${maximum === undefined ? 'or more' : `to ${maximum}`}`;
}

function leaves(schema: JsonSchema, path: readonly string[], isRequired = true): ConfigKey[] {
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, inner]) =>
      leaves(inner, [...path, name], schema.required?.includes(name) ?? false),
    );
  }
  const inner = schema.additionalProperties;
  if (typeof inner === 'object' && inner.properties) return leaves(inner, [...path, '<name>']);
  const fallback =
    'default' in schema ? JSON.stringify(schema.default) : isRequired ? 'required' : 'optional';
  return [{ path: path.join('.'), type: typeOf(schema), fallback, doc: schema.description ?? '' }];
}

/** Every key of the configuration; `<name>` stands for the name of a dataset. */
export const configKeys = (): ConfigKey[] =>
  leaves(z.toJSONSchema(configSchema, { io: 'input' }) as JsonSchema, []);

function configSection(): string {
  const rows = configKeys().map(({ path, type, fallback, doc }) => [code(path), type, code(fallback), doc]);
  return markdownTable(['key', 'type', 'default', 'meaning'], rows);
}

const EXIT_MEANING: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done: published, or nothing changed; for `doctor`, no check failed',
  failed: 'failed; the last publication is still served',
  usage: 'wrong command line or configuration; nothing was done',
  refused: 'the audit refused to publish; the last publication is still served',
  kept: 'done, but a dataset could not be read and keeps its last load; `status` and the report name it',
  source: 'a source could not be fetched; earlier downloads stay in use',
  locked:
    'another run is under way on this database, a session holds a table that must change, or the dataset is being fetched',
  interrupted: 'stopped by a signal; the same command resumes',
};

const exitSection = (): string =>
  markdownTable(
    ['exit code', 'meaning'],
    Object.entries(EXIT).map(([name, value]) => [String(value), EXIT_MEANING[name as keyof typeof EXIT]]),
  );

const licenceSection = (): string =>
  [
    markdownTable(
      ['adapter', 'data', 'publisher', 'licence by default', 'attribution'],
      ADAPTERS.map((a) => [code(a.name), a.title, a.publisher, a.licence, a.attribution]),
    ),
    '',
    `Open licences: ${OPEN_LICENCES.map(code).join(', ')}. A dataset under any other is refused until \`accept_licence\` repeats`,
    'its name. Spelling does not matter, nor does trailing text that adds no restriction: `CC BY 4.0, © State of Victoria` is open.',
  ].join('\n');

const KIND_TITLE: Readonly<Record<CodeKind, readonly [title: string, text: string]>> = {
  error: [
    'Errors',
    'A command prints `error <code>: <message>`; with `--json` the code is in `error.code`. The message names the file, place and value.\n' +
      'An error of PostgreSQL or the operating system that has no code here appears as `postgres_or_system_<their code>`.',
  ],
  reject: [
    'Rejects',
    'Input rows set aside, in `control.reject` with file and place (a line or a feature number, counted from 1), and by code in the run report.',
  ],
  drop: ['Drops', 'Rows left out on purpose, counted by name in the account of their file or stage.'],
};

/** Text of docs/errors.md. */
export function errorsPage(): string {
  const sections = (Object.keys(KIND_TITLE) as CodeKind[]).map((kind) => {
    const [title, text] = KIND_TITLE[kind];
    const rows = PUBLIC_CODES.filter((c) => c.kind === kind).map((c) => [code(c.code), c.meaning, c.remedy]);
    return `## ${title}\n${text}\n\n${markdownTable(['code', 'what happened', 'what to do'], rows)}`;
  });
  const intro =
    'Every public code. `docs/runbook.md` shows frequent ones and what to type next.\n' +
    'Your own field maps may add named drops.';
  return `${NOTICE}\n# Codes\n${intro}\n\n${sections.join('\n\n')}\n`;
}

function scopeText(scope: Scope<never>): string {
  switch (scope.kind) {
    case 'own':
      return 'own';
    case 'near':
      return `near ${scope.halo_m} m${scope.around ? ` around ${scope.around.schema}.${scope.around.name}` : ''}${scope.named ? ` by ${scope.named}` : ''}`;
    case 'resource':
      return scope.homes
        ? `resource, refs of ${scope.homes.table.schema}.${scope.homes.table.name}`
        : 'resource';
    case 'named':
      return `named by ${scope.column}`;
    default:
      return scope.kind;
  }
}

/** Stage files by stage name. */
function stageFiles(): Map<string, string> {
  const files = new Map<string, string>();
  const names = readdirSync(`${ROOT}pipelines/stages`, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((each) => each.endsWith('.ts'))) {
    const text = readFileSync(`${ROOT}pipelines/stages/${name}`, 'utf8');
    for (const [, stage] of text.matchAll(/^\s*name: '([a-z_]+)',$/gm))
      files.set(stage!, `pipelines/stages/${name}`);
  }
  return files;
}

function stageText(stage: Stage, file: string): string {
  const inputs = Object.values(stage.inputs).map(
    (i) => `${code(`${i.table.schema}.${i.table.name}`)} (${scopeText(i.scope)})`,
  );
  const subject = stage.inputs[stage.subject]!.table;
  const each = subject.home === null ? 'cell' : 'home';
  return [
    `Made by the stage ${code(stage.name)} (${typeof stage.compute === 'function' ? `version ${stage.version}` : 'a statement'}, ${code(file)}), ${stage.by === 'whole' ? 'in one partition' : `one partition for each ${each} of ${code(`${subject.schema}.${subject.name}`)}`}:`,
    `${stage.doc} Reads ${inputs.join(', ')}.`,
  ].join(' ');
}

function tableText(table: Table, origin: string): string {
  const columns = Object.entries(table.columns).map(([name, c]) => [
    code(name),
    c.type,
    c.nullable ? 'null' : '',
    c.doc,
  ]);
  const indexes = table.indexes.map((i) => code(i.columns.join(', ') + (i.where ? ` where ${i.where}` : '')));
  const facts = [
    table.primaryKey.length > 0 ? `Key: ${code(table.primaryKey.join(', '))}.` : '',
    indexes.length > 0 ? `Indexes: ${indexes.join('; ')}.` : '',
  ];
  const checks = Object.values(table.checks).map((sql) => `- every row: ${code(sql)}`);
  return [
    `### ${table.schema}.${table.name}`,
    table.doc,
    ...(origin === '' ? [] : ['', origin]),
    '',
    facts.filter(Boolean).join(' '),
    ...checks,
    '',
    markdownTable(['column', 'type', '', 'meaning'], columns),
  ].join('\n');
}

/** All tables, with a diagram of the serving tables. */
function tablesSection(): string {
  const stages = graph(configSchema.parse({ datasets: {} }));
  const assets = stages.map((stage) => stage.output).filter((table) => table.schema === 'asset');
  const files = stageFiles();
  const madeBy = (table: Table): string => {
    const stage = stages.find((each) => each.output === table);
    return stage ? stageText(stage, files.get(stage.name) ?? 'pipelines/stages') : '';
  };
  const filledBy = (table: Table): string => {
    const names = ADAPTERS.filter((a) => a.tables.includes(table)).map((a) => code(a.name));
    return names.length === 0 ? '' : `Filled by the adapter ${names.join(', ')}.`;
  };
  return [
    '## How serving tables refer to each other',
    'Keys, and columns that name a row of another table. `gnaf_pid` names a property, `sal` a suburb; `cell` is the grid cell of a place',
    '(`schema/grid.ts`).',
    '',
    tablesPicture(),
    '',
    '## Serving: what the API reads',
    ...SERVING_TABLES.map((table) => `${tableText(table, madeBy(table))}\n`),
    ...SERVING_VIEWS.map(
      (view) => `${tableText(view, 'A view over the control tables, made by `store/control_ddl.ts`.')}\n`,
    ),
    '## Assets: what stages hand to one another',
    ...assets.map((table) => `${tableText(table, madeBy(table))}\n`),
    '## Records: what the adapters read',
    ...RECORD_TABLES.map((table) => `${tableText(table, filledBy(table))}\n`),
  ]
    .join('\n')
    .replace(/\n+$/, '');
}

/** The page with a generated section, and what makes it. */
const SECTIONS = {
  configuration: ['docs/configuration.md', configSection],
  exit_codes: ['docs/commands.md', exitSection],
  licences: ['docs/licences.md', licenceSection],
  tables: ['docs/tables.md', tablesSection],
} as const;

/** A page written by hand except for one generated section. */
function pageWithSection(name: keyof typeof SECTIONS): [path: string, text: string] {
  const [path, make] = SECTIONS[name];
  const text = readFileSync(ROOT + path, 'utf8');
  const [open, close] = [`<!-- generated:${name} -->`, `<!-- /generated:${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`${path} has no section ${open} … ${close}`);
  return [path, `${text.slice(0, start + open.length)}\n${make()}\n${text.slice(end)}`];
}

/** Every generated page: path from the repository root and text. */
export function generatedPages(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/errors.md', errorsPage()],
    ['docs/field_maps.md', fieldMapsPage(NOTICE, markdownTable)],
    pageWithSection('configuration'),
    pageWithSection('exit_codes'),
    pageWithSection('licences'),
    pageWithSection('tables'),
    ...contractPages(ROOT),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of generatedPages()) writeFileSync(ROOT + path, text);
}
