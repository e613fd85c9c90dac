import type { TableView } from '../../pipelines/views/browse_table.ts';
import { EtlError } from '../../schema/errors.ts';

/** Maximum conditions of a link. */
const MOST = 12;

const placeOf = (text: string | null): (string | null)[] | null => {
  if (text === null || text === '') return null;
  try {
    const position: unknown = JSON.parse(text);
    if (Array.isArray(position) && position.every((each) => each === null || typeof each === 'string'))
      return position;
  } catch {
    // Anything else is refused: it is no position in the table.
  }
  throw new EtlError('config_invalid', 'after is no place in the table: begin at its first page.');
};

/**
 * Parses the view of a table from a page's URL: triples of `column`, `op` and `value`. A triple without a column is ignored. @throws
 * EtlError config_invalid
 */
export function viewOf(url: string): TableView {
  const params = new URL(url, 'http://console').searchParams;
  const [columns, ops, values] = ['column', 'op', 'value'].map((name) => params.getAll(name)) as [
    string[],
    string[],
    string[],
  ];
  if (columns.length > MOST || columns.length !== ops.length || columns.length !== values.length)
    throw new EtlError('config_invalid', `Give column, op and value of each condition, ${MOST} at most.`);
  const conditions = columns.map((column, i) => ({ column, op: ops[i]!, value: values[i]!.trim() }));
  return {
    conditions: conditions.filter(({ column }) => column !== ''),
    column: params.get('sort') || null,
    isDescending: params.get('desc') === '1',
    after: placeOf(params.get('after')),
  };
}

/** Formats a view as the query string of a link. Empty: all rows by key. */
export function linkOf({ conditions, column, isDescending, after }: TableView): string {
  const params = new URLSearchParams();
  for (const each of conditions)
    for (const name of ['column', 'op', 'value'] as const) params.append(name, each[name]);
  if (column !== null) params.set('sort', column);
  if (isDescending) params.set('desc', '1');
  if (after !== null) params.set('after', JSON.stringify(after));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
