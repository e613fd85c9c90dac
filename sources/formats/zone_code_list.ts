import { basename } from 'node:path';
import type { DatasetConfig, InputAccount } from '../adapter.ts';
import { openDbfFile } from './dbf.ts';
import { decoderOf } from './encoding.ts';
import { localFile } from './local_copy.ts';
import { Tally } from './tally.ts';
import { listZip } from './zip.ts';

/** Where the publisher's code list is; `member` is its path in a zip, null for a plain file. */
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

/** Vicmap's PLAN_CODELIST.dbf among the files of a dataset, plain or zipped; null: it is not delivered. */
export async function findCodeList(dataset: DatasetConfig): Promise<CodeListSource | null> {
  for (const { path } of dataset.files) {
    if (CODE_LIST.test(basename(path))) return { path, member: null };
    if (!/\.zip$/i.test(path)) continue;
    const [found] = await listZip(path, (name) => CODE_LIST.test(name), { file: basename(path) });
    if (found !== undefined) return { path, member: found.name };
  }
  return null;
}

/** Reads the code list. Of a code that is listed twice the last row counts, as the later one. EtlErrors of the .dbf and the zip. */
export async function readCodeList({ path, member }: CodeListSource): Promise<CodeList> {
  const file = member === null ? basename(path) : `${basename(path)} › ${member}`;
  const tally = new Tally(file, null, 'feature');
  const names = new Map<string, string>();
  const local = await localFile({ path, member, file });
  try {
    const table = await openDbfFile(local.path, file, decoderOf('utf-8'));
    try {
      const { fields, count } = table.header;
      const column = (...names: string[]) => fields.find(({ name }) => names.includes(name));
      const [code, name] = [column('ZONE_CODE'), column('ZONE_DESC', 'ZONE_DESCRIPTION')];
      const rows = await table.rows(0, count);
      for (let row = 0; row < count; row++) {
        tally.rows_in++;
        const [key, text] = [code, name].map((field) => (field ? rows.text(row, field)?.trim() : undefined));
        if (rows.deleted(row)) tally.drop('deleted_in_dbf');
        else if (!key || !text) tally.drop('no_code_or_name');
        else {
          tally.records++;
          names.set(key, text);
        }
      }
    } finally {
      await table.close();
    }
  } finally {
    await local.remove();
  }
  return { names, accounts: tally.accounts() };
}
