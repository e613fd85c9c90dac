import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig } from '../adapter.ts';
import { membersIn } from '../formats/archive/release_members.ts';
import type { ZipMember } from '../formats/archive/zip.ts';

const TABLE_FILE = /^(ACT|NSW|NT|OT|QLD|SA|TAS|VIC|WA)_(.+)_psv\.psv$/;
const AUTHORITY_FILE = /^Authority_Code_(.+)_psv\.psv$/;

/** Tables of a release, found by file name anywhere below the configured files. */
export interface ReleaseMembers {
  /** Tables by state and table name: `VIC`, `ADDRESS_DETAIL`. */
  states: Map<string, Map<string, ZipMember>>;
  /** Code lists by table name: `FLAT_TYPE_AUT`. */
  authority: Map<string, ZipMember>;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const isTable = (path: string): boolean =>
  TABLE_FILE.test(baseName(path)) || AUTHORITY_FILE.test(baseName(path));

/** Builds the error for two files of one table: EtlError `gnaf_several_releases`. */
function twice(table: string, one: ZipMember, other: ZipMember): EtlError {
  return new EtlError(
    'gnaf_several_releases',
    `The table ${table} is in two files: ${one.file} and ${other.file}. ` +
      'Configure the files of one release and one datum only.',
    { details: { files: [one.file, other.file] } },
  );
}

const sameContent = (one: ZipMember, other: ZipMember): boolean =>
  one.crc32 !== null && one.crc32 === other.crc32 && one.bytes === other.bytes;

/**
 * Finds the tables in zips and plain files; other files are ignored. Identical copies of a code list are allowed. Throws EtlError
 * `gnaf_no_tables`, `gnaf_several_releases`, and the errors of listZip.
 */
export async function findMembers(
  dataset: DatasetConfig,
): Promise<{ found: ReleaseMembers; members: ZipMember[] }> {
  const release: ReleaseMembers = { states: new Map(), authority: new Map() };
  const paths = dataset.files.map(({ path }) => path);
  const members = await membersIn(paths, isTable);
  for (const member of members) {
    const name = baseName(member.name);
    const [, state, table] = TABLE_FILE.exec(name) ?? [];
    const target =
      state === undefined ? release.authority : (release.states.get(state) ?? new Map<string, ZipMember>());
    if (state !== undefined) release.states.set(state, target);
    const key = table ?? AUTHORITY_FILE.exec(name)![1]!;
    const existing = target.get(key);
    if (existing === undefined) target.set(key, member);
    else if (state !== undefined || !sameContent(existing, member)) throw twice(name, existing, member);
  }
  if (release.states.size === 0) {
    throw new EtlError(
      'gnaf_no_tables',
      `Dataset ${dataset.id}: no file is named like VIC_ADDRESS_DETAIL_psv.psv in ${paths.join(', ') || '(no files)'}. ` +
        'Configure the zip of the G-NAF release, or the folder into which it was unzipped.',
    );
  }
  return { found: release, members };
}
