import type pg from 'pg';
import { EtlError, type Reject } from '../../schema/errors.ts';
import { DERIVED_FROM } from '../../schema/records/index.ts';
import type { Table } from '../../schema/table.ts';
import type { InputAccount, Part, Release, SourceAdapter } from '../../sources/adapter.ts';
import { jsonText } from '../../store/json_text.ts';
import { digestSpill } from '../../store/loads/load_digest.ts';
import { type Duplicate, insertRejects, RecordWriter } from '../../store/loads/loads.ts';
import { GeometryAudit } from './geometry_audit.ts';

export interface PartSummary {
  accounts: InputAccount[];
  notes: string[];
  rejects: number;
  rows: number;
  /** Reading and copying; then keys, indexes, statistics and digests. */
  seconds: { reading: number; finishing: number };
}

/** Rejects held back until they are stored; a source with more than this many is stored as it goes. */
const REJECT_BATCH = 5000;

/** Fails where an input's account does not balance. */
function checkAccounts(dataset: string, part: string, accounts: readonly InputAccount[]): void {
  for (const { file, rows_in, records, rejects, drops } of accounts) {
    const dropped = Object.values(drops).reduce((sum, n) => sum + n, 0);
    if (rows_in !== records + rejects + dropped) {
      throw new EtlError(
        'unbalanced',
        `Dataset ${dataset}, part ${part}, ${file}: ${rows_in} rows in, but ${records} records + ${rejects} rejected + ${dropped} dropped.`,
        { details: { file, rows_in, records, rejects, drops } },
      );
    }
  }
}

/** Moves repeated keys from records to rejects in the account of their table. */
function rejectDuplicates(
  table: Table,
  duplicates: readonly Duplicate[],
  accounts: InputAccount[],
  place: string,
): Reject[] {
  if (duplicates.length === 0) return [];
  const account = accounts.find((a) => a.table === table.name);
  if (account) {
    account.records -= duplicates.length;
    account.rejects += duplicates.length;
  }
  return duplicates.map(({ source_no, key }) => ({
    code: 'duplicate_key',
    file: account?.file ?? table.name,
    at: `${place} ${source_no}`,
    message: `${table.primaryKey.join(', ')} ${key} is repeated; the first row of the file is kept.`,
  }));
}

/** Compares what the accounts say became records with what is in the tables. */
async function checkStored(writer: RecordWriter, accounts: readonly InputAccount[]): Promise<void> {
  const mine = accounts.filter((account) => account.table === writer.table.name);
  if (mine.length === 0) return;
  const claimed = mine.reduce((sum, account) => sum + account.records, 0);
  const pieces = writer.table.name.endsWith('_piece');
  const stored = await writer.countSources(pieces);
  if (claimed !== stored) {
    throw new EtlError(
      'unbalanced',
      `Table ${writer.table.name}: ${claimed} records read, but ${stored} stored.`,
      {
        details: { claimed, stored },
      },
    );
  }
}

/**
 * Ends the tables of a part: keys are made unique, accounts are held against what is stored, indexes and digests are made.
 * Returns the rows that were rejected because they repeat a key.
 */
async function complete(
  writers: readonly RecordWriter[],
  adapter: SourceAdapter,
  release: Release,
  part: Part,
  accounts: InputAccount[],
): Promise<Reject[]> {
  const rejects: Reject[] = [];
  const originals = writers.filter((writer) => DERIVED_FROM[writer.table.name] === undefined);
  const derived = writers.filter((writer) => DERIVED_FROM[writer.table.name] !== undefined);
  const removed = new Map<string, number[]>();
  const repeated = await Promise.all(originals.map((writer) => writer.enforceKey()));
  for (const [i, writer] of originals.entries()) {
    const duplicates = repeated[i]!;
    rejects.push(...rejectDuplicates(writer.table, duplicates, accounts, adapter.place));
    removed.set(
      writer.table.name,
      duplicates.map((duplicate) => duplicate.source_no),
    );
  }
  for (const writer of derived) {
    await writer.removeSources(removed.get(DERIVED_FROM[writer.table.name]!) ?? []);
    const left = await writer.enforceKey();
    if (left.length > 0)
      throw new EtlError('duplicate_key', `Table ${writer.table.name} repeats key ${left[0]!.key}.`);
  }
  checkAccounts(release.dataset.id, part.id, accounts);
  await Promise.all(originals.map((writer) => checkStored(writer, accounts)));
  await Promise.all(writers.map((writer) => writer.finish()));
  return rejects;
}

/**
 * Reads one part of a release into separate tables, invisible to stages until the load is activated. Makes keys unique, checks
 * accounts against the stored rows, and records digests per cell.
 */
export async function loadPart(
  pool: pg.Pool,
  adapter: SourceAdapter,
  release: Release,
  part: Part,
  loadId: number,
  onRows: (rows: number) => void,
): Promise<PartSummary> {
  try {
    return await readPart(pool, adapter, release, part, loadId, onRows);
  } catch (error) {
    // A run that takes over sweeps unfinished loads away; what then fails here, fails for that reason.
    const found = await pool
      .query('SELECT 1 FROM control.load WHERE load_id = $1', [loadId])
      .catch(() => null);
    if (found === null || found.rowCount === 1) throw error;
    throw new EtlError('run_superseded', `Load ${loadId} is gone: another run took over.`, { cause: error });
  }
}

async function readPart(
  pool: pg.Pool,
  adapter: SourceAdapter,
  release: Release,
  part: Part,
  loadId: number,
  onRows: (rows: number) => void,
): Promise<PartSummary> {
  const writers = new Map<string, RecordWriter>();
  const seconds = { reading: 0, finishing: 0 };
  const summary: PartSummary = { accounts: [], notes: [], rejects: 0, rows: 0, seconds };
  const started = performance.now();
  const audit = new GeometryAudit();
  let rejects: Reject[] = [];
  const storeRejects = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      await insertRejects(client, loadId, rejects);
    } finally {
      client.release();
    }
    summary.rejects += rejects.length;
    rejects = [];
  };
  try {
    for await (const batch of adapter.read(release, part, {})) {
      for (const { table, rows } of batch.records ?? []) {
        if (rows.length === 0) continue;
        let writer = writers.get(table.name);
        if (!writer) {
          writer = await RecordWriter.open(pool, table, loadId);
          writers.set(table.name, writer);
        }
        await writer.write(rows);
        audit.add(table, rows);
        summary.rows += rows.length;
        onRows(rows.length);
      }
      for (const reject of batch.rejects ?? []) rejects.push(reject);
      if (rejects.length >= REJECT_BATCH) await storeRejects();
      summary.accounts.push(...(batch.accounts ?? []));
      summary.notes.push(...(batch.notes ?? []));
    }
    summary.notes.push(...audit.notes());
    await Promise.all([...writers.values()].map((writer) => writer.end()));
    seconds.reading = (performance.now() - started) / 1000;
    rejects.push(...(await complete([...writers.values()], adapter, release, part, summary.accounts)));
  } catch (error) {
    await Promise.all([...writers.values()].map((writer) => writer.abort().catch(() => undefined)));
    throw error;
  }
  await storeRejects();
  await finishLoad(pool, adapter.tables, loadId, summary);
  seconds.finishing = (performance.now() - started) / 1000 - seconds.reading;
  return summary;
}

/** Records that a load is complete, with its accounts. */
async function finishLoad(
  pool: pg.Pool,
  tables: readonly Table[],
  loadId: number,
  summary: PartSummary,
): Promise<void> {
  const client = await pool.connect();
  try {
    for (const table of tables) await digestSpill(client, table, loadId);
    const done = await client.query(
      `UPDATE control.load SET state = 'loaded', accounts = $2, notes = notes || $3, loaded_at = now() WHERE load_id = $1`,
      [loadId, jsonText(summary.accounts), jsonText(summary.notes)],
    );
    if (done.rowCount === 0)
      throw new EtlError('run_superseded', `Load ${loadId} is gone: another run took over.`);
  } finally {
    client.release();
  }
}
