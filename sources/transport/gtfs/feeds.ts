import { basename, dirname, relative, sep } from 'node:path';
import { EtlError } from '../../../schema/errors.ts';
import type { DatasetConfig } from '../../adapter.ts';
import { commonFolder } from '../../formats/archive/release_members.ts';
import { listZip } from '../../formats/archive/zip.ts';

/** Location of one feed's tables; survives structured cloning. */
type FeedPlace =
  /** Members of a zip below a folder, which is '' or ends with a slash. */
  | { readonly kind: 'zip'; readonly path: string; readonly folder: string }
  /** A zip that is a member of a zip. */
  | { readonly kind: 'nested'; readonly path: string; readonly member: string }
  /** Plain files by name. */
  | { readonly kind: 'plain'; readonly files: Readonly<Record<string, string>> };

export interface FoundFeed {
  /** Name of its folder, longer if two share it; '' if the release is one feed without a folder. */
  readonly id: string;
  /** Name in the option folders: its id, or if that is '' the name of its zip or folder. */
  readonly name: string;
  /** Name in messages and row accounts: the path inside the release. */
  readonly file: string;
  readonly feedPlace: FeedPlace;
}

interface FeedFileCandidate {
  /** Folder of the feed in the release; '': none, and its zip names it. */
  readonly folder: string;
  readonly stem: string;
  readonly file: string;
  readonly feedPlace: FeedPlace;
}

const STOPS = /(^|\/)stops\.txt$/i;
const stemOf = (path: string): string => basename(path).replace(/\.zip$/i, '');
const folderOf = (path: string): string => {
  const folder = dirname(path);
  return folder === '.' ? '' : folder;
};

/**
 * Finds the feeds of a release: a zip with stops.txt, at its top or in folders; a zip of such zips; folders of plain files. EtlError
 * `gtfs_no_feed` if there is none, and the errors of the zips.
 */
export async function findFeeds(dataset: DatasetConfig): Promise<FoundFeed[]> {
  const root = commonFolder(dataset.files.map(({ path }) => path));
  const candidates: FeedFileCandidate[] = [];
  for (const { path } of dataset.files) {
    const name = relative(root, path).split(sep).join('/');
    if (/\.zip$/i.test(path)) candidates.push(...(await feedsInZip(path, name)));
    else if (STOPS.test(name)) candidates.push(plainFeed(dataset, path, name));
  }
  if (candidates.length > 0) return namedFeeds(candidates, basename(root));
  throw new EtlError(
    'gtfs_no_feed',
    `dataset ${dataset.id}: no stops.txt and no zip with one among its ${dataset.files.length} files. Configure the zip of the GTFS feed, or the folder it was unzipped to.`,
    { details: { dataset: dataset.id, files: dataset.files.slice(0, 20).map(({ path }) => path) } },
  );
}

async function feedsInZip(path: string, name: string): Promise<FeedFileCandidate[]> {
  const members = await listZip(path, (each) => STOPS.test(each) || /\.zip$/i.test(each));
  const outer = folderOf(name);
  return members
    .map((member) => member.name)
    .sort()
    .map((member) => {
      const inside = folderOf(member);
      const folder = inside === '' ? outer : inside;
      if (!STOPS.test(member)) {
        const location = { kind: 'nested', path, member } as const;
        return { folder: inside, stem: stemOf(member), file: `${name} › ${member}`, feedPlace: location };
      }
      const below = inside === '' ? '' : `${inside}/`;
      return { folder, stem: stemOf(name), file: name, feedPlace: { kind: 'zip', path, folder: below } };
    });
}

function plainFeed(dataset: DatasetConfig, path: string, name: string): FeedFileCandidate {
  const files: Record<string, string> = {};
  for (const each of dataset.files)
    if (dirname(each.path) === dirname(path)) files[basename(each.path).toLowerCase()] = each.path;
  const folder = folderOf(name);
  return { folder, stem: '', file: folder === '' ? '(folder)' : folder, feedPlace: { kind: 'plain', files } };
}

/** Names each feed by the shortest unique end of its path. */
function namedFeeds(candidates: readonly FeedFileCandidate[], root: string): FoundFeed[] {
  const short = (each: FeedFileCandidate): string => each.folder.split('/').at(-1) || each.stem;
  const long = (each: FeedFileCandidate): string =>
    [each.folder, each.stem].filter((part) => part !== '').join('/');
  const isAlone = (each: FeedFileCandidate, by: (other: FeedFileCandidate) => string): boolean =>
    candidates.filter((other) => by(other) === by(each)).length === 1;
  return candidates.map((each) => {
    const { file, feedPlace } = each;
    if (candidates.length === 1 && each.folder === '')
      return { id: '', name: each.stem || root, file, feedPlace };
    const by = [short, long].find((by) => isAlone(each, by));
    const id = by === undefined ? file : by(each);
    return { id, name: id, file, feedPlace };
  });
}
