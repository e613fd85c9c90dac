import { EtlError } from '../../../schema/errors.ts';
import { localFile } from '../../formats/archive/local_copy.ts';
import { listZip, plainMember, readMember, type ZipMember } from '../../formats/archive/zip.ts';
import type { FoundFeed } from './feeds.ts';

/** Names of the files of a feed that are read. */
const TABLE = /\.txt$|(^|\/)locations\.geojson$/i;

/** The open tables of one feed, by their names without `.txt`; `locations.geojson` has its own name. */
export interface FeedFiles {
  /** Returns true if the feed has the table. */
  has(table: string): boolean;
  /** Returns the name of a table for messages and row accounts. */
  nameOf(table: string): string;
  /** Streams the bytes of a table from its start. EtlError `gtfs_missing_table` if there is none. */
  bytes(table: string, signal?: AbortSignal): AsyncGenerator<Uint8Array>;
  /** Removes what was unpacked. */
  close(): Promise<void>;
}

/**
 * Opens the tables of a feed; a zip inside a zip is unpacked to a temporary folder until it is closed. Throws the EtlErrors of the zips.
 */
export async function openFeed(feed: FoundFeed): Promise<FeedFiles> {
  const { feedPlace: place, file } = feed;
  if (place.kind === 'plain') return feedOf(feed, await plainMembers(place.files), file, async () => {});
  if (place.kind === 'zip') {
    const members = await tablesIn(place.path, file, place.folder);
    return feedOf(
      feed,
      members,
      `${file}${place.folder === '' ? '' : ` › ${place.folder.slice(0, -1)}`}`,
      async () => {},
    );
  }
  const copy = await localFile({ path: place.path, member: place.member, file });
  try {
    const members = await tablesIn(copy.path, file, '');
    // a folder inside the inner zip
    const tableMembers = members.size > 0 ? members : await tablesIn(copy.path, file, null);
    return feedOf(feed, tableMembers, file, copy.remove);
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

async function plainMembers(files: Readonly<Record<string, string>>): Promise<Map<string, ZipMember>> {
  const members = new Map<string, ZipMember>();
  for (const [name, path] of Object.entries(files)) {
    if (TABLE.test(name)) members.set(name.replace(/\.txt$/, ''), await plainMember(path));
  }
  return members;
}

/** Finds the tables of a zip by name, in one folder of it; null: in any. */
async function tablesIn(path: string, file: string, folder: string | null): Promise<Map<string, ZipMember>> {
  const members = new Map<string, ZipMember>();
  for (const member of await listZip(path, (name) => TABLE.test(name), { file })) {
    const at = member.name.lastIndexOf('/') + 1;
    if (folder !== null && member.name.slice(0, at) !== folder) continue;
    const table = member.name
      .slice(at)
      .toLowerCase()
      .replace(/\.txt$/, '');
    if (!members.has(table)) members.set(table, member);
  }
  return members;
}

function feedOf(
  feed: FoundFeed,
  members: ReadonlyMap<string, ZipMember>,
  file: string,
  close: () => Promise<void>,
): FeedFiles {
  const nameOf = (table: string): string => `${file} › ${table}${table.includes('.') ? '' : '.txt'}`;
  return {
    has: (table) => members.has(table),
    nameOf,
    close,
    async *bytes(table, signal) {
      const member = members.get(table);
      if (member === undefined) {
        throw new EtlError(
          'gtfs_missing_table',
          `${file}: the feed has no ${table}.txt (it has ${[...members.keys()].sort().join(', ') || 'no tables'}). Fetch the whole feed.`,
          { details: { feed: feed.id, table } },
        );
      }
      yield* readMember(member, signal);
    },
  };
}
