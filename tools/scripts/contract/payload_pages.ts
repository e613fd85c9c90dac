import { CONTRACT_VERSION } from '../../../contract/service/version.ts';
import { type DocumentedEndpoint, documentedEndpoints } from './endpoints.ts';
import { type Field, fieldsOf } from './fields.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

const typeText = ({ types, values, nullable }: Field): string => {
  const of = values === null ? types.join(' or ') : values.map(code).join(', ');
  return `${of}${nullable ? ' or null' : ''}`;
};

const rangeText = ({ min, max }: Field): string => {
  if (min === null && max === null) return '';
  if (max === null) return `${min} or more`;
  return min === null ? `${max} or less` : `${min} to ${max}`;
};

function paramsText(endpoint: DocumentedEndpoint): string {
  const fields = fieldsOf(endpoint.params).filter(({ path }) => path !== '' && !path.includes('[]'));
  if (fields.length === 0) return 'Parameters: none.';
  const items = new Map(fieldsOf(endpoint.params).map((field) => [field.path, field]));
  const rows = fields.map((field) => {
    const item = items.get(`${field.path}[]`);
    const type = item === undefined ? typeText(field) : `list of ${typeText(item)}`;
    return [code(field.path), type, rangeText(field), field.fallback ?? '', field.doc];
  });
  return table(['parameter', 'type', 'bounds', 'default', 'meaning'], rows);
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields
    .filter(({ path }) => path !== '[]')
    .map((field) => [
      code(field.path),
      typeText(field),
      field.optional ? 'may be absent' : '',
      rangeText(field),
    ]);
  return table(['field', 'type', 'presence', 'bounds'], rows);
}

function payloadText({ payload, beside }: DocumentedEndpoint): string {
  const [root, ...fields] = fieldsOf(payload);
  const data = [`Payload: ${typeText(root!)}.`, '', fieldTable(fields)];
  if (beside === null) return data.join('\n');
  const [, ...besides] = fieldsOf(beside);
  return [...data, '', 'Beside `data`:', '', fieldTable(besides)].join('\n');
}

function endpointText(endpoint: DocumentedEndpoint): string {
  const { methods, path, doc, tables, reasons, slug, file } = endpoint;
  const reads = tables.map(code).join(', ');
  const schemas = (endpoint.beside === null ? [slug] : [slug, `${slug}.beside`])
    .map((name) => `[${name}.json](json_schema/${name}.json)`)
    .join(', ');
  return [
    `## ${methods.join(', ')} ${code(path)}`,
    doc,
    '',
    paramsText(endpoint),
    '',
    payloadText(endpoint),
    '',
    ...(reasons.length > 0 ? [`No data: ${reasons.map(code).join(', ')}.`] : []),
    `Reads ${reads}. Code: ${code(file)}. Schema: ${schemas}.`,
  ].join('\n');
}

/** Text of payloads.md. */
export function payloadsPage(): string {
  return [
    '# Endpoints and payloads',
    `Contract version ${CONTRACT_VERSION}. Every endpoint is a typed query over the serving tables in`,
    '`contract/`: `ask` (properties and suburbs) and `find` (searches) read parameters, query, check the payload and wrap it.',
    '`pipeline get <path> <id>` and `pipeline get <search> -q name=value` print them from the published tables.',
    '',
    'Where there is nothing to return, `data` is null, `available` false, `reason` is `no_<thing>_for_<id>`, and `no_data` is one of:',
    '`not_covered` no source covers the place; `not_matched` a source covers it, but the property has no match; `none_found` covered, and there',
    'is none; `not_applicable` a property of its kind has none; `suppressed` too few cases; `unknown_property`, `unknown_suburb` there is no such thing.',
    '',
    ...documentedEndpoints().map((endpoint) => `${endpointText(endpoint)}\n`),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

/** The JSON Schemas of every payload and of every set of parameters: name of the file and text. */
export function schemaPages(): Map<string, string> {
  const pages = new Map<string, string>();
  for (const { slug, path, doc, params, payload, beside } of documentedEndpoints()) {
    const write = (name: string, title: string, schema: object): void => {
      pages.set(`${name}.json`, `${JSON.stringify({ title, description: doc, ...schema }, null, 2)}\n`);
    };
    write(slug, `Payload of ${path}`, payload);
    if (beside !== null) write(`${slug}.beside`, `What stands beside the data of ${path}`, beside);
    write(`${slug}.params`, `Parameters of ${path}`, params);
  }
  return pages;
}
