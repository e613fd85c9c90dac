import type pg from 'pg';
import { EtlError, type Reject } from '../../schema/errors.ts';
import { DERIVED_FROM } from '../../schema/records/index.ts';
import type { Table } from '../../schema/table.ts';
import type { InputAccount, Part, Release, SourceAdapter } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { withClient } from '../../store/database.ts';
import { jsonText } from '../../store/json_text.ts';
import { checkUnchanged, type FileStamp } from '../../store/loads/files.ts';
import { digestSpill } from '../../store/loads/load_digest.ts';
import { clearLoad, type Duplicate, insertRejects, RecordWriter } from '../../store/loads/loads.ts';
import { claimLoad, releaseLoad } from '../../store/state/claims.ts';
import { inTransaction } from '../../store/transaction.ts';
import { GeometryAudit } from './geometry_audit.ts';

/** A part of a dataset to read into a load. */
export interface PartToLoad {
  runId: number;
  loadId: number;
  adapter: string;
  release: Release;
  part: Part;
  /** Fingerprint of the files and settings that determine its records. */
  fingerprint: string;
  /** Size and times of those files when they were hashed, by path. */
  stamps: ReadonlyMap<string, FileStamp>;
}

/** Maximum rejects held in memory; further ones are stored while reading. */
const REJECT_BATCH = 5000;

/** Checks that the account of every input balances. @throws EtlError */
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
  placeUnit: string,
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
    at: `${placeUnit} ${source_no}`,
    message: `${table.primaryKey.join(', ')} ${key} is repeated; the first row of the file is kept.`,
  }));
}

/** Compares the accounts' record counts with the rows in the tables. */
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
 * Completes the tables of a part: makes keys unique, checks accounts against the stored rows, builds indexes and digests. Returns the rows
 * rejected for repeating a key.
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
    rejects.push(...rejectDuplicates(writer.table, duplicates, accounts, adapter.placeUnit));
    removed.set(
      writer.table.name,
      duplicates.map((duplicate) => duplicate.source_no),
    );
  }
  for (const writer of derived) {
    await writer.removeSources(removed.get(DERIVED_FROM[writer.table.name]!) ?? []);
    const repeats = await writer.enforceKey();
    if (repeats.length > 0)
      throw new EtlError('duplicate_key', `Table ${writer.table.name} repeats key ${repeats[0]!.key}.`);
  }
  checkAccounts(release.dataset.id, part.id, accounts);
  await Promise.all(originals.map((writer) => checkStored(writer, accounts)));
  await Promise.all(writers.map((writer) => writer.finish()));
  return rejects;
}

const partGone = (loadId: number, cause?: unknown): EtlError =>
  new EtlError('run_superseded', `Load ${loadId} is gone: another run took over.`, { cause });

/** Returns the row count of a complete load; null: not complete. */
async function rowsLoaded(client: pg.ClientBase, loadId: number): Promise<number | null> {
  const { rows } = await client.query<{ state: string; rows: number }>(
    `SELECT state, (SELECT COALESCE(sum(d.rows), 0)::int FROM control.load_digest d WHERE d.load_id = l.load_id) AS rows
     FROM control.load l WHERE load_id = $1`,
    [loadId],
  );
  if (rows[0] === undefined) throw partGone(loadId);
  return rows[0].state === 'loading' ? null : rows[0].rows;
}

/**
 * Reads one part of a release into separate tables, invisible to stages until the load is activated. Makes keys unique, checks accounts
 * against the stored rows, and records digests by cell. Accounts and notes are recorded with the load. It may be called twice for a load:
 * the second call waits, and reads only if the first failed.
 * @returns the rows of the load
 */
export async function loadPart(
  pool: pg.Pool,
  task: PartToLoad,
  onRows: (rows: number) => void,
): Promise<{ rows: number }> {
  const { loadId } = task;
  const claim = await pool.connect();
  try {
    return await inTransaction(claim, async () => {
      await claimLoad(claim, loadId);
      const rows = (await rowsLoaded(claim, loadId)) ?? (await readPart(pool, claim, task, onRows));
      await releaseLoad(claim, loadId);
      return { rows };
    });
  } catch (error) {
    // A run that takes over drops unfinished loads; this may be why reading failed.
    const stored = await pool
      .query('SELECT 1 FROM control.load WHERE load_id = $1', [loadId])
      .catch(() => null);
    if (stored === null || stored.rowCount === 1) throw error;
    throw partGone(loadId, error);
  } finally {
    claim.release();
  }
}

/**
 * Reads a part whose load `claim` has claimed, and records over the same connection that it is complete, so losing the claim prevents it.
 */
async function readPart(
  pool: pg.Pool,
  claim: pg.ClientBase,
  { adapter: name, release, part, loadId, stamps }: PartToLoad,
  onRows: (rows: number) => void,
): Promise<number> {
  const adapter = adapterNamed(name);
  const writers = new Map<string, RecordWriter>();
  const accounts: InputAccount[] = [];
  const notes: string[] = [];
  let total = 0;
  const audit = new GeometryAudit();
  let rejects: Reject[] = [];
  const storeRejects = async (): Promise<void> => {
    await withClient(pool, (client) => insertRejects(client, loadId, rejects));
    rejects = [];
  };
  await withClient(pool, (client) => clearLoad(client, adapter.tables, loadId));
  try {
    for await (const batch of adapter.readPart(release, part, {})) {
      for (const { table, rows } of batch.records ?? []) {
        if (rows.length === 0) continue;
        let writer = writers.get(table.name);
        if (!writer) {
          writer = await RecordWriter.open(pool, table, loadId);
          writers.set(table.name, writer);
        }
        await writer.write(rows);
        audit.add(table, rows);
        total += rows.length;
        onRows(rows.length);
      }
      for (const reject of batch.rejects ?? []) rejects.push(reject);
      if (rejects.length >= REJECT_BATCH) await storeRejects();
      accounts.push(...(batch.accounts ?? []));
      notes.push(...(batch.notes ?? []));
    }
    notes.push(...audit.notes());
    await Promise.all([...writers.values()].map((writer) => writer.end()));
    rejects.push(...(await complete([...writers.values()], adapter, release, part, accounts)));
  } catch (error) {
    await Promise.all([...writers.values()].map((writer) => writer.abort().catch(() => undefined)));
    throw error;
  }
  await storeRejects();
  await checkUnchanged(stamps);
  for (const table of adapter.tables) await digestSpill(claim, table, loadId);
  const done = await claim.query(
    `UPDATE control.load SET state = 'loaded', accounts = $2, notes = notes || $3, loaded_at = clock_timestamp() WHERE load_id = $1`,
    [loadId, jsonText(accounts), jsonText(notes)],
  );
  if (done.rowCount === 0) throw partGone(loadId);
  return total;
}
