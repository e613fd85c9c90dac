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

/** A property as events name it. */
export interface Home {
  gnaf_pid: string;
  address: string;
  state: string;
}

/** Listing, sale and lease of a property by an agency, and the sale by a register that writes the address its own way. */
export function story({ gnaf_pid, address, state }: Home, i: number, year: number): FeedRow[] {
  const home = { source: 'agency', source_id: `A${i}-${year}`, channel: 'sale', address, state };
  const price = 500_000 + i * 1000;
  return [
    {
      ...home,
      event_type: 'listed',
      event_date: `${year}-02-01`,
      price_low: price - 50_000,
      price_high: price,
      bedrooms: 3 + (i % 2),
      bathrooms: 2,
      parking: 1,
      property_type: 'townhouse',
      description: 'Light-filled living, no pool, gourmet kitchen and ensuite.',
    },
    { ...home, event_type: 'under_offer', event_date: `${year}-03-01` },
    { ...home, event_type: 'sold', event_date: `${year}-03-10`, price },
    {
      source: 'register',
      source_id: `R${i}-${year}`,
      event_type: 'sold',
      channel: 'sale',
      event_date: `${year}-03-08`,
      settlement_date: `${year}-05-08`,
      dealing_id: `D${i}-${year}`,
      address: address.toLowerCase(),
      state,
      price,
    },
    {
      ...home,
      source_id: `L${i}-${year}`,
      channel: 'rent',
      event_type: 'leased',
      event_date: `${year}-07-01`,
      price: 600,
      gnaf_pid,
    },
  ];
}
