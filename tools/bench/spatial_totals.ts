import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../store/embedded/server.ts';

/** What both sides count and sum, over tables of the same names. */
const TOTALS = [
  {
    of: 'property',
    sums: {
      rows: 'count(*)',
      'with a parcel': 'count(parcel_id)',
      'point in parcel': 'count(*) filter (where parcel_distance_m = 0)',
      'land area, sqm': 'sum(land_area_sqm)',
    },
  },
  {
    of: 'property_profile',
    sums: {
      'mesh blocks': 'count(mesh_block)',
      'agree at the point': 'count(*) filter (where agrees)',
      suburbs: 'count(distinct suburb)',
    },
  },
  {
    of: 'property_neighbour',
    sums: { rows: 'count(*)', corners: 'count(*) filter (where is_corner)', 'shared, m': 'sum(shared_m)' },
  },
  {
    of: 'property_zoning',
    sums: {
      rows: 'count(*)',
      'at the point': "count(*) filter (where method = 'point')",
      shares: 'sum(share)',
    },
  },
  { of: 'property_overlay', sums: { rows: 'count(*)', 'overlap, sqm': 'sum(overlap_sqm)' } },
  {
    of: 'property_risk',
    sums: {
      rows: 'count(*)',
      'on property': 'count(*) filter (where on_property)',
      'nearest, m': 'sum(nearest_distance_m)',
      features: 'sum(features_within_radius)',
      'shares of parcels': 'sum(parcel_share)',
      'margins of points, m': 'sum(point_margin_m)',
      'on point': 'count(*) filter (where point_on)',
      'features of points': 'sum(point_features)',
    },
  },
  {
    of: 'property_proximity',
    sums: {
      'school, m': 'sum(school_m)',
      'supermarket, m': 'sum(supermarket_m)',
      'park, m': 'sum(park_m)',
      'beach, m': 'sum(beach_m)',
      'railway, m': 'sum(railway_m)',
      'tram, m': 'sum(tram_m)',
      'bus, m': 'sum(bus_m)',
      'public housing, m': 'sum(public_housing_m)',
    },
  },
  { of: 'region_neighbour', sums: { rows: 'count(*)', 'shared, m': 'sum(shared_m)' } },
  { of: 'region_shape', sums: { rows: 'count(*)' } },
  { of: 'parcel_shape', sums: { rows: 'count(*)' } },
  { of: 'stop', sums: { rows: 'count(*)' } },
  { of: 'place', sums: { rows: 'count(*)' } },
  { of: 'school', sums: { rows: 'count(*)' } },
] as const;

type Totals = Map<string, number>;

/** Number of a published parcel. */
const PARCEL_NUMBER = (column: string): string => `split_part(${column}, ':', 2)::int`;

/** The published rows of every n-th parcel; a pair of neighbours belongs to the lower of the two numbers. */
function sampleOf(table: string, every: number): string {
  if (table === 'property_neighbour')
    return `(select n.* from serving.property_neighbour n join serving.property p using (gnaf_pid)
      where least(${PARCEL_NUMBER('p.parcel_id')}, ${PARCEL_NUMBER('n.neighbour_parcel_id')}) % ${every} = 0) of`;
  return `(select t.* from serving.${table} t join serving.property p using (gnaf_pid)
    where ${PARCEL_NUMBER('p.parcel_id')} % ${every} = 0) of`;
}

/** Totals by table and what is summed. `from` gives the table, or a part of it. */
async function totalsOf(client: pg.Client, from: (table: string) => string): Promise<Totals> {
  const out: Totals = new Map();
  for (const { of, sums } of TOTALS) {
    const columns = Object.values(sums).map((sum, i) => `${sum} c${i}`);
    const { rows } = await client.query(`select ${columns.join(', ')} from ${from(of)}`);
    for (const [i, name] of Object.keys(sums).entries()) out.set(`${of}: ${name}`, Number(rows[0][`c${i}`]));
  }
  return out;
}

/** Totals of what a refresh published into a data folder; of the tables in `sampled`, those of every n-th parcel. */
export async function publishedTotals(
  dataDir: string,
  sampled: ReadonlySet<string>,
  every: number,
): Promise<Totals> {
  const server = await startEmbedded({ dataDir: join(dataDir, 'postgres') });
  const client = new pg.Client({ connectionString: server.connectionString });
  try {
    await client.connect();
    return await totalsOf(client, (table) =>
      sampled.has(table) ? sampleOf(table, every) : `serving.${table}`,
    );
  } finally {
    await client.end();
    await server.release();
  }
}

/** Totals of what PostGIS computed. */
export const baselineTotals = (client: pg.Client): Promise<Totals> => totalsOf(client, (table) => table);

/** Prints both sides' totals and the difference. */
export function printTotals(own: Totals, other: Totals): void {
  for (const [name, value] of own) {
    const theirs = other.get(name)!;
    const shown = [value, theirs].map((each) => Math.round(each).toLocaleString('en').padStart(15));
    const difference = value === theirs ? 0 : (value / theirs - 1) * 100;
    console.log(`  ${name.padEnd(38)} ${shown.join(' ')} ${difference.toFixed(3).padStart(8)} %`);
  }
}
