import { basename, join } from 'node:path';
import type { DatasetConfig, InputAccount } from '../adapter.ts';
import { openArchive } from './archive.ts';
import { readDbfTable } from './dbf.ts';

/** Where the publisher's code list is; `member` is its path in a zip, null for a plain file. */
export interface CodeListSource {
  readonly path: string;
  readonly member: string | null;
}

/** Zone names by code from the publisher's code list. */
export interface CodeList {
  readonly names: ReadonlyMap<string, string>;
  readonly account: InputAccount;
}

const CODE_LIST = /(^|[_/])codelist\.dbf$/i;

/** Vicmap's PLAN_CODELIST.dbf among the files of a dataset, plain or zipped; null: it is not delivered. */
export async function findCodeList(dataset: DatasetConfig): Promise<CodeListSource | null> {
  for (const { path } of dataset.files) {
    if (CODE_LIST.test(basename(path))) return { path, member: null };
    if (!/\.zip$/i.test(path)) continue;
    const archive = await openArchive(path, basename(path));
    const member = archive.members.find((name) => CODE_LIST.test(name));
    await archive.close();
    if (member !== undefined) return { path, member };
  }
  return null;
}

/** Reads the code list. Of a code that is listed twice the last row counts, as the later one. */
export async function readCodeList({ path, member }: CodeListSource): Promise<CodeList> {
  const file = member === null ? basename(path) : `${basename(path)} › ${member}`;
  const rows =
    member === null ? await readDbfTable(path, file, 'utf-8') : await readZipped(path, member, file);
  const names = new Map<string, string>();
  let blank = 0;
  for (const row of rows) {
    const [code, name] = [row.ZONE_CODE, row.ZONE_DESC ?? row.ZONE_DESCRIPTION];
    if (typeof code === 'string' && typeof name === 'string') names.set(code.trim(), name);
    else blank++;
  }
  const account: InputAccount = {
    file,
    table: null,
    rows_in: rows.length,
    records: rows.length - blank,
    rejects: 0,
    drops: blank === 0 ? {} : { no_code_or_name: blank },
  };
  return { names, account };
}

async function readZipped(path: string, member: string, file: string): Promise<Record<string, unknown>[]> {
  const archive = await openArchive(path, file);
  try {
    const { folder, remove } = await archive.extract({ [member]: 'table.dbf' });
    try {
      return await readDbfTable(join(folder, 'table.dbf'), file, 'utf-8');
    } finally {
      await remove();
    }
  } finally {
    await archive.close();
  }
}
