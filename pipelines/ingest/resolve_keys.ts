import type pg from 'pg';
import { EtlError, type Reject } from '../../schema/errors.ts';
import { append } from '../../schema/group_by.ts';
import { DERIVED_FROM, SPILL_OF } from '../../schema/records/index.ts';
import type { Table } from '../../schema/table.ts';
import type { DatasetConfig, InputAccount, SourceAdapter } from '../../sources/adapter.ts';
import { jsonText } from '../../store/json_text.ts';
import { digestAgain, digestSpill } from '../../store/loads/load_digest.ts';
import { addRows, insertRejects } from '../../store/loads/loads.ts';
import {
  findRepeated,
  type Repeat,
  readRepeats,
  removeRepeats,
  takeDiffering,
} from '../../store/loads/repeated_across.ts';
import { inTransaction } from '../../store/transaction.ts';

/** A load of the dataset, with its part and accounts. */
export interface LoadToSettle {
  load_id: number;
  part: string;
  accounts: InputAccount[];
}

/** Maximum examples in a message. */
const EXAMPLES = 5;

/** Returns the file of a load that a table's rows came from. */
function fileOf(load: LoadToSettle | undefined, table: Table): string {
  return load?.accounts.find((account) => account.table === table.name)?.file ?? load?.part ?? '?';
}

const noun = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

/** Moves rows of a load in its account from records to rejects, or to another file's records. */
function moveRows(load: LoadToSettle, table: Table, rows: number, to: 'rejects' | 'others'): void {
  const account = load.accounts.find((each) => each.table === table.name);
  if (account === undefined) return;
  account.records -= rows;
  if (to === 'rejects') {
    account.rejects += rows;
    account.in_other_file = (account.in_other_file ?? 0) + rows;
  } else {
    account.rows_in -= rows;
    load.accounts.push({
      file: account.file,
      table: null,
      rows_in: rows,
      records: rows,
      rejects: 0,
      drops: {},
    });
  }
}

const derivedOf = (adapter: SourceAdapter, table: Table): Table[] =>
  adapter.tables.filter(({ name }) => DERIVED_FROM[name] === table.name);

const countBy = (repeats: readonly Repeat[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const { load_id } of repeats) counts.set(load_id, (counts.get(load_id) ?? 0) + 1);
  return counts;
};

/** Describes the locations of both rows of a repeat. */
function places(
  repeat: Repeat,
  table: Table,
  locate: string,
  loads: ReadonlyMap<number, LoadToSettle>,
): string {
  const first = `${fileOf(loads.get(repeat.first_load), table)} (${locate} ${repeat.first_no})`;
  return `${first} and ${fileOf(loads.get(repeat.load_id), table)} (${locate} ${repeat.source_no})`;
}

interface KeyResolution {
  client: pg.ClientBase;
  adapter: SourceAdapter;
  dataset: DatasetConfig;
  table: Table;
  loads: ReadonlyMap<number, LoadToSettle>;
}

/** Rejects rows that another file has with the same content. */
async function rejectSame({ client, adapter, table, loads }: KeyResolution): Promise<Set<number>> {
  const same = await readRepeats(client, table, true);
  const rejects = new Map<number, Reject[]>();
  for (const { key, load_id, source_no, first_load, first_no } of same) {
    const message = `${table.primaryKey.filter((name) => name !== 'cell').join(', ')} ${key} is also ${adapter.placeUnit} ${first_no} of ${fileOf(loads.get(first_load), table)}, which is kept.`;
    const file = fileOf(loads.get(load_id), table);
    const reject = { code: 'duplicate_key', file, at: `${adapter.placeUnit} ${source_no}`, message };
    append(rejects, load_id, reject);
  }
  for (const [loadId, rows] of rejects) {
    await removeRepeats(client, table, derivedOf(adapter, table), loadId);
    await insertRejects(client, loadId, rows);
    moveRows(loads.get(loadId)!, table, rows.length, 'rejects');
  }
  return new Set(rejects.keys());
}

/** Returns the error for rows of several files with the same key but different content that cannot be united. */
function refuse(
  { adapter, dataset, table, loads }: KeyResolution,
  repeats: readonly Repeat[],
  all: number,
): EtlError {
  const shownRepeats = repeats.slice(0, EXAMPLES);
  const examples = shownRepeats.map(
    (repeat) => `${repeat.key} in ${places(repeat, table, adapter.placeUnit, loads)}`,
  );
  const key = table.primaryKey.filter((name) => name !== 'cell').join(', ');
  return new EtlError(
    'key_in_two_files',
    `Dataset ${dataset.id}: ${noun(all, `${table.name} record`)} of several files ${all === 1 ? 'has' : 'have'} one ${key} and different content: ${examples.join('; ')}${all > shownRepeats.length ? '; …' : ''}.`,
    { details: { dataset: dataset.id, table: table.name, examples: shownRepeats } },
  );
}

/** Unites rows of several files that the adapter says belong together. The result replaces the first row. */
async function uniteOthers(settling: KeyResolution, notes: string[]): Promise<Set<number>> {
  const { client, adapter, dataset, table, loads } = settling;
  const others = await readRepeats(client, table, false);
  if (others.length === 0) return new Set();
  const unite = adapter.unite?.(dataset, table) ?? null;
  if (unite === null) throw refuse(settling, others, others.length);
  const touched = new Set(others.flatMap(({ load_id, first_load }) => [load_id, first_load]));
  const united = await takeDiffering(client, table, derivedOf(adapter, table), [...touched]);
  for (const { load_id, rows } of united) {
    const batches = unite(rows);
    if (batches === null) throw refuse(settling, others, others.length);
    for (const batch of batches) await addRows(client, batch.table, load_id, batch.rows);
  }
  for (const [loadId, rows] of countBy(others)) moveRows(loads.get(loadId)!, table, rows, 'others');
  const examples = others
    .slice(0, EXAMPLES)
    .map((repeat) => `${repeat.key} of ${places(repeat, table, adapter.placeUnit, loads)}`);
  notes.push(
    `${noun(united.length, table.name)} of several files ${united.length === 1 ? 'was' : 'were'} united: ${examples.join('; ')}${others.length > examples.length ? '; …' : ''}.`,
  );
  return touched;
}

/**
 * Makes the keys of a dataset unique across its files before activation. Rows with the same key and content are rejected, except the first
 * file's. Pieces that belong together are united. Anything else is an error with key and files. `loads` are in part order, kept ones first.
 * Changes their accounts; returns notes for the report.
 */
export async function resolveKeys(
  client: pg.ClientBase,
  adapter: SourceAdapter,
  dataset: DatasetConfig,
  loads: readonly LoadToSettle[],
): Promise<string[]> {
  if (loads.length < 2) return [];
  const notes: string[] = [];
  const byId = new Map(loads.map((load) => [load.load_id, load]));
  await inTransaction(client, async () => {
    const changed = new Set<number>();
    for (const table of adapter.tables) {
      if (DERIVED_FROM[table.name] !== undefined) continue;
      if (!(await findRepeated(client, table, [...byId.keys()]))) continue;
      const settling = { client, adapter, dataset, table, loads: byId };
      const same = await rejectSame(settling);
      const touched = new Set([...same, ...(await uniteOthers(settling, notes))]);
      for (const loadId of touched) {
        changed.add(loadId);
        for (const each of [table, ...derivedOf(adapter, table)])
          if (!Object.values(SPILL_OF).includes(each.name)) await digestAgain(client, each, loadId);
        await digestSpill(client, table, loadId);
      }
    }
    for (const loadId of changed)
      await client.query('UPDATE control.load SET accounts = $2 WHERE load_id = $1', [
        loadId,
        jsonText(byId.get(loadId)!.accounts),
      ]);
  });
  return notes;
}

/** Rejects keys that occur in two datasets. Checks the given record tables of all loaded datasets. */
export async function checkDatasets(client: pg.ClientBase, tables: readonly Table[]): Promise<void> {
  const { rows: loads } = await client.query<LoadToSettle & { dataset: string }>(
    `SELECT load_id, part, dataset, accounts FROM control.load WHERE state = 'active' ORDER BY dataset, load_id`,
  );
  if (new Set(loads.map(({ dataset }) => dataset)).size < 2) return;
  const byId = new Map(loads.map((load) => [load.load_id, load]));
  await client.query('BEGIN');
  try {
    for (const table of tables) {
      if (DERIVED_FROM[table.name] !== undefined) continue;
      if (!(await findRepeated(client, table, [...byId.keys()]))) continue;
      const [one] = [
        ...(await readRepeats(client, table, false, 1)),
        ...(await readRepeats(client, table, true, 1)),
      ];
      if (one === undefined) continue;
      const loadIds = [one.first_load, one.load_id]
        .map((id) => `${byId.get(id)!.dataset} (${fileOf(byId.get(id), table)})`)
        .join(' and ');
      const text = `${table.name} ${one.key} stands in ${loadIds}${one.same ? ', with the same content' : ''}.`;
      const details = { details: { table: table.name, ...one } };
      if (byId.get(one.first_load)!.dataset === byId.get(one.load_id)!.dataset)
        throw new EtlError('key_in_two_files', text, details);
      throw new EtlError('key_in_two_datasets', text, details);
    }
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}
