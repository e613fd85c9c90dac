import type pg from 'pg';
import { givenEvidenceAsset } from '../../schema/assets/valuation.ts';
import { EtlError } from '../../schema/errors.ts';
import { readCsvRows } from '../../sources/formats/table/csv_rows.ts';
import { jsonText } from '../../store/json_text.ts';
import { inTransaction } from '../../store/transaction.ts';

const COLUMNS = Object.keys(givenEvidenceAsset.columns);
const ROWS_AT_ONCE = 5_000;

const unreadable = (file: string, line: number, reason: string): EtlError =>
  new EtlError('bad_evidence', `${file}:${line}: ${reason}. The file must come from export --evidence.`, {
    details: { file, line },
  });

/**
 * Reads another database's training sales from a file into asset.given_evidence, replacing earlier ones; null: clears the table. If they
 * are of this run's month, models are trained on them.
 * @throws EtlError bad_evidence for a line not in the format of `export --evidence`, and errors of an unreadable file
 */
export async function takeEvidence(client: pg.ClientBase, file: string | null): Promise<void> {
  await inTransaction(client, async () => {
    await client.query('TRUNCATE asset.given_evidence');
    if (file !== null) await loadEvidence(client, file);
  });
}

/** Returns a sentence if the given training sales are of another month than the run, which then used the loaded sales. */
export async function givenEvidenceNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ as_of: string; day: string | null }>(
    `SELECT DISTINCT g.as_of::text AS as_of, (SELECT as_of::text FROM asset.valuation_day) AS day FROM asset.given_evidence g
     WHERE g.as_of IS DISTINCT FROM (SELECT as_of FROM asset.valuation_day) ORDER BY 1`,
  );
  return rows.map(
    ({ as_of, day }) =>
      `The given evidence is dated ${as_of}, but this run values as of ${day ?? 'no day, because no sales are loaded'}. Models are trained on the loaded sales.`,
  );
}

async function loadEvidence(client: pg.ClientBase, file: string): Promise<void> {
  let rows: (string | null)[][] = [];
  let line = 1;
  const put = async (): Promise<void> => {
    const objects = rows.map((row) => Object.fromEntries(row.map((value, i) => [COLUMNS[i]!, value])));
    await client
      .query(
        'INSERT INTO asset.given_evidence SELECT * FROM jsonb_populate_recordset(NULL::asset.given_evidence, $1)',
        [jsonText(objects)],
      )
      .catch((error: Error) => {
        throw unreadable(file, line, error.message);
      });
    rows = [];
  };
  let isHeader = true;
  for await (const row of readCsvRows(file, file)) {
    line = row.line;
    if (isHeader) {
      if (row.cells.join() !== COLUMNS.join()) throw unreadable(file, line, 'it has other columns');
      isHeader = false;
      continue;
    }
    if (row.problem) throw unreadable(file, line, row.problem.message);
    if (row.cells.length !== COLUMNS.length)
      throw unreadable(file, line, `it has ${row.cells.length} of ${COLUMNS.length} columns`);
    rows.push(row.cells.map((cell) => (cell === '' ? null : cell)));
    if (rows.length === ROWS_AT_ONCE) await put();
  }
  await put();
  if (isHeader) throw unreadable(file, line, 'it is empty');
}
