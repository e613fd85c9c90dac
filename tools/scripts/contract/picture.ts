import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import { references } from '../../../schema/serving/references.ts';
import type { Table } from '../../../schema/table.ts';

/** Columns that point to a suburb by its name, in tables whose references are not declared. */
const SUBURB_COLUMNS = ['sal', 'neighbour_sal'];

interface Edge {
  from: Table;
  column: string;
  to: Table;
}

function edges(): Edge[] {
  const declared: Edge[] = references().map(({ from, column, to }) => ({ from, column, to }));
  const suburb = SERVING_TABLES.find(({ name }) => name === 'suburb')!;
  const further = SERVING_TABLES.filter((table) => table !== suburb).flatMap((from) =>
    SUBURB_COLUMNS.filter((column) => column in from.columns).map((column) => ({ from, column, to: suburb })),
  );
  const key = ({ from, column, to }: Edge): string => `${from.name}|${column}|${to.name}`;
  return [...new Map([...declared, ...further].map((edge) => [key(edge), edge])).values()];
}

/** Key columns of a table and those that point elsewhere, as Mermaid writes an entity. */
function entity(table: Table, links: readonly Edge[]): string {
  const pointing = new Set(links.filter(({ from }) => from === table).map(({ column }) => column));
  const shown = Object.entries(table.columns).filter(
    ([name]) => table.primaryKey.includes(name) || pointing.has(name) || name === 'cell',
  );
  const lines = shown.map(([name, { type }]) => {
    const marks = [table.primaryKey.includes(name) ? 'PK' : '', pointing.has(name) ? 'FK' : ''].filter(
      Boolean,
    );
    return `    ${type.replace('[]', '_list')} ${name}${marks.length > 0 ? ` ${marks.join(', ')}` : ''}`;
  });
  return [`  ${table.name} {`, ...lines, '  }'].join('\n');
}

/** The serving tables and what their columns point to: a Mermaid diagram. */
export function tablesPicture(): string {
  const links = edges();
  return [
    '```mermaid',
    'erDiagram',
    ...SERVING_TABLES.map((table) => entity(table, links)),
    ...links.map(({ from, column, to }) => {
      const one = from.primaryKey.length === 1 && from.primaryKey[0] === column;
      return `  ${to.name} ||--${one ? 'o|' : 'o{'} ${from.name} : ${column}`;
    }),
    '```',
  ].join('\n');
}
