import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SampleDataset } from './hazards/layer.ts';
import { PLANNING_DATASETS } from './hazards/registry.ts';
import { SALES_TABLE_MAP } from './market/sales_table.ts';
import { CSV_KINDS } from './places/places_csv_writer.ts';

/** A dataset of hazards or overlays; YAML takes the inline JSON as it is. */
const planningDataset = ({ id, adapter, path, options, crs }: SampleDataset): string => {
  // GeoJSON names no Australian datum
  const datum = crs ?? (path[0]!.endsWith('.geojson') ? 'EPSG:7844' : undefined);
  return `  ${id}:
    adapter: ${adapter}
    path: [${path.join(', ')}]
    licence: generated${datum === undefined ? '' : `\n    crs: ${datum}`}
    options: ${JSON.stringify(options)}
`;
};

const STATES = ['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'] as const;

/** One dataset of a state; its licence says that it was generated, so that nobody mistakes it for the publisher's data. */
const stateDataset = (
  kind: string,
  adapter: string,
  folder: string,
  state: string,
): string => `  ${kind}_${state.toLowerCase()}:
    adapter: ${adapter}
    path: ${folder}/${state.toLowerCase()}/*.shp
    licence: generated
    options: { state: ${state} }
`;

/** Schools, their measures, the Census and SEIFA: of the nation. */
const SOCIAL_DATASETS = `  schools:
    adapter: schools
    path: schools/*.xlsx
    licence: generated
    options: { coverage: { states: [AU] } }
  school_measures:
    adapter: school_measures
    path: schools/*.csv
    licence: generated
  census:
    adapter: census
    path: census/*.zip
    licence: generated
  seifa:
    adapter: seifa
    path: seifa/*.xlsx
    licence: generated
`;

/** Options of the table of places of the Northern Territory. */
export const PLACES_NT = {
  field_map: { id: 'Asset No', name: 'Name', kind: 'Kind', categories: CSV_KINDS },
  coverage: { states: ['NT'] },
};
/** Options of the table of sales of Tasmania. */
export const SALES_TAS = { state: 'TAS', delimiter: ';', field_map: SALES_TABLE_MAP };

/** Public transport and places: of the nation, or of the states that the generator writes in another format. */
const NEARBY_DATASETS = `  gtfs:
    adapter: gtfs
    path: transport/national/*.zip
    licence: generated
    options: { coverage: { states: [NSW, QLD, SA, WA, NT, ACT] } }
  gtfs_vic:
    adapter: gtfs
    path: transport/vic/*.zip
    licence: generated
    options: { state: VIC, coverage: state }
  stops_tas:
    adapter: stops
    path: transport/tas/*
    licence: generated
    options: { mode: bus, coverage: { states: [TAS] } }
  places:
    adapter: osm
    path: places/osm/*.geojson
    licence: generated
    options: { coverage: { states: [NSW, VIC, QLD, SA, ACT] } }
  places_tas:
    adapter: osm
    path: places/tas/*.osm.pbf
    licence: generated
    options: { coverage: { states: [TAS] } }
  places_wa:
    adapter: overture
    path: places/wa/*.parquet
    licence: generated
    options: { regions: [AU-WA] }
  places_nt:
    adapter: places_csv
    path: places/nt/*.csv
    licence: generated
    options: ${JSON.stringify(PLACES_NT)}
`;

/** Listings and sales: the event contract of the nation, REAXML of one state, the register of another, the table of a third. */
const MARKET_DATASETS = `  listings:
    adapter: listings
    path: listings/*
    licence: generated
    accept_all_rejected: true
  reaxml_sa:
    adapter: reaxml
    path: reaxml/*.xml
    licence: generated
  nsw_psi:
    adapter: nsw_psi
    path: nsw_psi/*.zip
    licence: generated
  sales_tas:
    adapter: sales_csv
    path: sales/*.csv
    licence: generated
    options: ${JSON.stringify(SALES_TAS)}
`;

/**
 * A small country has files in which a dataset finds nothing of its own: what would be a map that does not fit is right there.
 * Its last file of listings has few rows besides those that must be rejected.
 */
async function datasetGates(dir: string): Promise<string> {
  const truth = await readFile(join(dir, 'truth', 'planning_datasets.csv'), 'utf8').catch(() => '');
  const empty = truth
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([, , features]) => features === '0')
    .map(([id]) => [id, { records_min: 0 }]);
  const datasets = { ...Object.fromEntries(empty), listings: { rejects_share_max: 1 } };
  return `gates: ${JSON.stringify({ datasets })}\n`;
}

/** Raised with each change of what the generator writes, so that the demo makes its country anew. */
const GENERATOR = 4;

/** First line of `config.yaml` of a sample country: which one it is. */
export const sampleTitle = ({ properties, seed }: { properties: number; seed: number }): string =>
  `# Sample country, generator ${GENERATOR}: ${properties} properties, seed ${seed}.`;

/** Writes `config.yaml` of a sample country into its folder. */
export async function writeSampleConfig(
  dir: string,
  made: { properties: number; seed: number },
): Promise<void> {
  const parts = [
    `${sampleTitle(made)} Generated data in the publishers' formats; no real place.\n`,
    await datasetGates(dir),
    'datasets:\n',
    '  gnaf:\n    adapter: gnaf\n    path: gnaf/*.zip\n    licence: generated\n',
    '  asgs:\n    adapter: asgs\n    path: asgs/*.shp\n    licence: generated\n',
  ];
  for (const state of STATES) {
    const name = state.toLowerCase();
    if (existsSync(join(dir, 'cadastre', name)))
      parts.push(stateDataset('cadastre', 'cadastre', 'cadastre', state));
    if (existsSync(join(dir, 'planning', name)))
      parts.push(stateDataset('zoning', 'zoning', 'planning', state));
  }
  for (const each of PLANNING_DATASETS) {
    if (!existsSync(join(dir, each.path[0]!))) continue;
    parts.push(planningDataset(each));
  }
  if (existsSync(join(dir, 'schools'))) parts.push(SOCIAL_DATASETS);
  if (existsSync(join(dir, 'transport'))) parts.push(NEARBY_DATASETS);
  if (existsSync(join(dir, 'listings'))) parts.push(MARKET_DATASETS);
  await writeFile(join(dir, 'config.yaml'), parts.join(''));
}
