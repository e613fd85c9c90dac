import { copyFile, cp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { parse, stringify } from 'yaml';
import { editRows, editZip } from '../../test/pipelines/edit_release.ts';
import { editShapefile, type PolygonFeature } from '../../test/pipelines/edit_shapefile.ts';
import { type FeedRow, writeFeed } from '../../test/pipelines/market_feed.ts';
import { makeSample } from '../../test/pipelines/sample_run.ts';
import { type Random, seededRandom } from '../sample/random.ts';
import type { Damaged, Edit, Night } from './plan.ts';

/** Fewest properties that the generator makes. */
const PROPERTIES = 100;
const DATASETS = /^(gnaf|asgs|(cadastre|zoning|bushfire|flood|heritage)_nsw|places|schools|listings)$/;
const PARCELS = 'cadastre/nsw/NSWLandParcelPropertyTheme_Lot.shp';
const ZONES = 'planning/nsw/EPI_Land_Zoning.shp';
const HAZARDS = 'hazards/nsw/BFPL_NSW.shp';
const FEED = 'listings';

/** Writes the smallest country: a dataset of each kind that nights change, and what places them. */
export async function writeCountry(dir: string, seed: number): Promise<void> {
  await makeSample(dir, { properties: PROPERTIES, seed, datasets: 'all' });
  const path = join(dir, 'config.yaml');
  const config = parse(await readFile(path, 'utf8')) as { gates: unknown; datasets: Record<string, unknown> };
  // In a country this small the generated bad rows are more than the share that the gate allows.
  config.gates = { datasets: { gnaf: { rejects_share_max: 1 }, listings: { rejects_share_max: 1 } } };
  config.datasets = Object.fromEntries(
    Object.entries(config.datasets).filter(([name]) => DATASETS.test(name)),
  );
  await writeFile(path, stringify(config));
}

const gnafOf = async (dir: string): Promise<string> =>
  join(dir, 'gnaf', (await readdir(join(dir, 'gnaf'))).find((name) => name.endsWith('.zip'))!);

/** Some addresses retire, vanish or get another number; some points move, a few of them far away. */
async function editAddresses(dir: string, { next, int }: Random): Promise<void> {
  const zip = await gnafOf(dir);
  await editZip(zip, /_ADDRESS_DETAIL_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      if (next() >= 0.03) return row;
      const kind = next();
      if (kind < 0.1) return null;
      if (kind < 0.2) row[columns.indexOf('CONFIDENCE')] = '-1';
      else if (kind < 0.6) row[columns.indexOf('NUMBER_FIRST')] = String(1 + int(500));
      else row[columns.indexOf('BUILDING_NAME')] = `HOUSE ${int(100)}`;
      return row;
    }),
  );
  await editZip(zip, /_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      const at = columns.indexOf('LONGITUDE');
      if (next() >= 0.03 || !row[at]) return row;
      row[at] = (Number(row[at]) + (next() < 0.2 ? 0.02 : 0.0003)).toFixed(8);
      return row;
    }),
  );
}

/** A feature with its first ring, or each, moved by degrees. */
function shifted(feature: PolygonFeature, x: number): PolygonFeature {
  const { geometry } = feature;
  if (geometry?.type !== 'Polygon') return feature;
  const coordinates = geometry.coordinates.map((ring) => ring.map(([lon, lat]) => [lon! + x, lat!]));
  return { ...feature, geometry: { type: 'Polygon', coordinates } };
}

/** Of the features of a shapefile some move, go, or get another value of a field. At least one stays. */
async function editFeatures(
  path: string,
  { next, int }: Random,
  field: string,
  values: readonly string[],
  share: number,
) {
  await editShapefile(path, (feature, i) => {
    if (feature === null) return [];
    if (i === 0 || next() >= share) return [feature];
    const kind = int(5);
    if (kind === 0) return [];
    if (kind < 3) return [shifted(feature, kind === 1 ? 3e-6 : 1e-4)];
    return [{ ...feature, properties: { ...feature.properties, [field]: values[int(values.length)]! } }];
  });
}

/** Delivers events of some homes of the country, of one year. */
async function deliverEvents(dir: string, night: number, year: number, { next, int }: Random): Promise<void> {
  const homes: Record<string, string>[] = parseCsv(await readFile(join(dir, 'truth/properties.csv')), {
    columns: true,
  });
  const rows = homes.flatMap(({ gnaf_pid }, i): FeedRow[] => {
    if (next() >= 0.08) return [];
    const event_type = next() < 0.5 ? 'listed' : 'sold';
    const day = `${year}-${String(1 + int(12)).padStart(2, '0')}-${String(1 + int(27)).padStart(2, '0')}`;
    const price = 300_000 + int(900) * 1000;
    const id = {
      source: 'agency',
      source_id: `night${night}-${i}`,
      event_type,
      channel: 'sale',
      event_date: day,
    };
    return [{ ...id, gnaf_pid: gnaf_pid!, price, bedrooms: 1 + int(5) }];
  });
  await writeFeed(dir, `night_${night}_${year}.csv`, rows, FEED);
}

/** Delivers one of the earlier files of events once more, under another name. */
async function repeatEvents(dir: string, night: number, { pick }: Random): Promise<void> {
  const files = (await readdir(join(dir, FEED))).filter((name) => name.endsWith('.csv')).sort();
  await copyFile(join(dir, FEED, pick(files)), join(dir, FEED, `repeated_${night}.csv`));
}

const ZONE_CODES = ['R1', 'R2', 'R3', 'B4', 'RE1'];
const EDIT: Readonly<Record<Edit, (dir: string, random: Random, night: number) => Promise<void>>> = {
  addresses: editAddresses,
  parcels: (dir, random, night) =>
    editFeatures(join(dir, PARCELS), random, 'lotidstrin', [`9//DP9${night}`, `8//DP9${night}`], 0.05),
  zones: (dir, random) => editFeatures(join(dir, ZONES), random, 'SYM_CODE', ZONE_CODES, 0.3),
  hazards: (dir, random) =>
    editFeatures(join(dir, HAZARDS), random, 'd_Category', ['Vegetation Category 1'], 0.3),
  events: (dir, random, night) => deliverEvents(dir, night, 2026, random),
  late_events: (dir, random, night) => deliverEvents(dir, night, 2015 + random.int(9), random),
  repeated_events: (dir, random, night) => repeatEvents(dir, night, random),
};

/** Changes the deliveries as the plan of a night says. */
export async function deliver(dir: string, seed: number, { number, edits }: Night): Promise<void> {
  for (const edit of edits) await EDIT[edit](dir, seededRandom(seed, `night ${number} ${edit}`), number);
}

/** Cuts a file off or overwrites it; gives what brings it back. */
export async function damage(dir: string, damaged: Damaged): Promise<() => Promise<void>> {
  const path =
    damaged === 'gnaf'
      ? await gnafOf(dir)
      : join(dir, damaged === 'parcels' ? PARCELS : `${FEED}/events_2024.csv`);
  const bytes = await readFile(path);
  await writeFile(
    path,
    damaged === 'events' ? Buffer.alloc(3000, 0x81) : bytes.subarray(0, bytes.length / 2),
  );
  return async () => {
    await writeFile(path, bytes);
    await utimes(path, new Date(), new Date());
  };
}

/** Copies the files that nights change; gives what brings them back. */
export async function copyDeliveries(dir: string, to: string): Promise<() => Promise<void>> {
  const folders = ['gnaf', 'cadastre', 'planning', 'hazards', FEED];
  await rm(to, { recursive: true, force: true });
  for (const folder of folders)
    await cp(join(dir, folder), join(to, folder), { recursive: true, preserveTimestamps: true });
  return async () => {
    for (const folder of folders) {
      await rm(join(dir, folder), { recursive: true });
      await cp(join(to, folder), join(dir, folder), { recursive: true, preserveTimestamps: true });
    }
  };
}
