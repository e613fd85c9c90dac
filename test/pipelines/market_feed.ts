import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** A row of the event contract; what is absent is not stated. */
export type FeedRow = Readonly<Record<string, string | number>>;

const COLUMNS = [
  'source',
  'source_id',
  'event_type',
  'channel',
  'event_date',
  'settlement_date',
  'observed_at',
  'gnaf_pid',
  'address',
  'suburb',
  'state',
  'postcode',
  'lon',
  'lat',
  'price',
  'price_low',
  'price_high',
  'dealing_id',
  'bedrooms',
  'bathrooms',
  'parking',
  'property_type',
  'land_area_sqm',
  'features',
  'description',
] as const;

/** Writes a delivery of events into a folder of a sample country. */
export async function writeFeed(
  dir: string,
  file: string,
  rows: readonly FeedRow[],
  folder = 'feed',
): Promise<void> {
  await mkdir(join(dir, folder), { recursive: true });
  const cell = (value: string | number): string => `"${String(value).replaceAll('"', '""')}"`;
  const lines = [
    COLUMNS.join(','),
    ...rows.map((row) => COLUMNS.map((name) => cell(row[name] ?? '')).join(',')),
  ];
  await writeFile(join(dir, folder, file), `${lines.join('\n')}\n`);
}

/** Adds the deliveries of writeFeed to the configuration of a sample country, and takes other market data out. */
export async function configureFeed(dir: string): Promise<void> {
  const path = join(dir, 'config.yaml');
  const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, { adapter: string }> };
  const others = Object.entries(config.datasets).filter(
    ([, { adapter }]) => !['listings', 'reaxml', 'nsw_psi', 'sales_csv'].includes(adapter),
  );
  const feed = { adapter: 'listings', path: 'feed/*', licence: 'generated' };
  await writeFile(path, stringify({ ...config, datasets: { ...Object.fromEntries(others), feed } }));
}
