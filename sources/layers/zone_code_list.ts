import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { openDbf } from 'shapefile';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig, InputAccount } from '../adapter.ts';
import { localFile } from '../formats/archive/local_copy.ts';
import { listZip } from '../formats/archive/zip.ts';
import { DELETED, parseDbfHeader } from '../formats/vector/dbf.ts';
import { RowTally } from '../tally.ts';

/** Location of the publisher's code list; `member` is its path in a zip, null for a plain file. */
export interface CodeListSource {
  readonly path: string;
  readonly member: string | null;
}

/** Zone names by code from the publisher's code list. */
export interface CodeList {
  readonly names: ReadonlyMap<string, string>;
  readonly accounts: readonly InputAccount[];
}

const CODE_LIST = /(^|[_/])codelist\.dbf$/i;

/** Finds Vicmap's PLAN_CODELIST.dbf among the files of a dataset, plain or zipped; null: not delivered. */
export async function findCodeList(dataset: DatasetConfig): Promise<CodeListSource | null> {
  for (const { path } of dataset.files) {
    if (CODE_LIST.test(basename(path))) return { path, member: null };
    if (!/\.zip$/i.test(path)) continue;
    const [found] = await listZip(path, (name) => CODE_LIST.test(name), { file: basename(path) });
    if (found !== undefined) return { path, member: found.name };
  }
  return null;
}

/** Reads the code list. If a code is listed twice, the last row counts, because it is later. EtlErrors of the .dbf and the zip. */
export async function readCodeList({ path, member }: CodeListSource): Promise<CodeList> {
  const file = member === null ? basename(path) : `${basename(path)} › ${member}`;
  const tally = new RowTally(file, null, 'feature');
  const names = new Map<string, string>();
  const local = await localFile({ path, member, file }, (bytes) => refuseLarge(bytes, file));
  try {
    for await (const { row, isDeleted } of rowsOf(local.path, file)) {
      tally.rows_in++;
      if (isDeleted) {
        tally.drop('deleted_in_dbf');
        continue;
      }
      const [code, name] = [row.ZONE_CODE, row.ZONE_DESC ?? row.ZONE_DESCRIPTION];
      const [key, text] = [code, name].map((value) => (typeof value === 'string' ? value.trim() : ''));
      if (!key || !text) tally.drop('no_code_or_name');
      else {
        tally.records++;
        names.set(key, text);
      }
    }
  } finally {
    await local.remove();
  }
  return { names, accounts: tally.accounts() };
}

/** Maximum bytes of a code list, which is read whole; Vicmap's has 1.5 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

function refuseLarge(bytes: number, file: string): void {
  if (bytes > MAX_BYTES)
    throw new EtlError(
      'bad_dbf',
      `${file}: the table has ${bytes} bytes, a list of codes at most ${MAX_BYTES}.`,
      {
        details: { file },
      },
    );
}

/** Reads the rows of a small .dbf. EtlError `bad_dbf` names the file. */
async function* rowsOf(
  path: string,
  file: string,
): AsyncGenerator<{ row: Record<string, unknown>; isDeleted: boolean }> {
  const bytes = await readFile(path);
  const { headerBytes, recordBytes } = parseDbfHeader(bytes, file);
  try {
    const source = await openDbf(bytes, { encoding: 'utf-8' });
    let at = headerBytes;
    for (let next = await source.read(); !next.done; next = await source.read()) {
      yield { row: next.value ?? {}, isDeleted: bytes[at] === DELETED };
      at += recordBytes;
    }
  } catch (cause) {
    const message = `${file}: the table cannot be read (${String(cause)}). Deliver the file again.`;
    throw new EtlError('bad_dbf', message, { details: { file }, cause });
  }
}
