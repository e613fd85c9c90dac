import type pg from 'pg';
import type { ComparablePoint } from '../../contract/map/around_property.ts';
import type { Explanation } from '../../pipelines/explain/explain.ts';
import { sourceRecords } from '../../pipelines/explain/source_records.ts';
import { marketDatasets } from '../../pipelines/views/late_sources.ts';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';

/** Dataset and release of the figures in a report. Absent: not known. */
export interface ReportSources {
  /** By overlay_id. */
  overlays: ReadonlyMap<string, string>;
  /** By layer and feature_id, with a blank between them. */
  hazards: ReadonlyMap<string, string>;
  /** By gnaf_pid of a sold property and date, with a blank between them. */
  sales: ReadonlyMap<string, string>;
  /** Datasets whose stated areas include the property, by hazard layer. Public housing: the Census. */
  assessed: ReadonlyMap<string, string>;
  /** Datasets of the report and of its map, by name. */
  datasets: readonly SourceDataset[];
}

/** A dataset as its publisher wants it to be named. */
interface SourceDataset {
  dataset: string;
  release: string;
  title: string;
  licence: string;
  attribution: string;
  adapter: string;
  isOnMap: boolean;
}

const sourceText = ({ dataset, release }: { dataset: string; release: string }): string =>
  `${dataset} ${release}`;

/** Datasets that state to know every feature of a theme in a council or its state. An outline counts if it reaches into the grid cell. */
const COVERING = `SELECT theme, string_agg(DISTINCT dataset || ' ' || release, ', ') AS sources
  FROM (SELECT theme, load_id FROM record.coverage_area WHERE state = $1 AND area IN ('*', $2)
    UNION SELECT theme, load_id FROM record.coverage_piece WHERE cell = $3
    UNION SELECT 'public_housing', load_id FROM record.census_region WHERE level = 'SA1') c JOIN control.load l USING (load_id) GROUP BY theme`;

const SALES = `SELECT gnaf_pid || ' ' || date AS key, string_agg(DISTINCT s, ', ') AS sources
  FROM serving.property_event, unnest(sources) s WHERE gnaf_pid = ANY ($1) AND type = 'Sold' GROUP BY gnaf_pid, date`;

/** Adapters of the datasets that the map draws: suburbs, parcels, addresses, streets, parks and water. */
const ON_MAP = `'gnaf', 'asgs', 'cadastre', 'zoning'`;

const CATALOGUE = `SELECT dataset, release, title, licence, attribution, adapter, adapter IN (${ON_MAP}) AS "isOnMap"
  FROM serving.dataset_catalogue ORDER BY dataset`;

/** Names of the datasets in texts like `flood_vic 2026-05, overlays_vic 2026-04`. */
const namesIn = (texts: Iterable<string>): string[] =>
  [...texts].flatMap((text) => text.split(', ').map((source) => source.split(' ')[0]!));

/** Reads the sources of overlays, hazards, coverage and comparable sales. */
export async function readReportSources(
  client: pg.ClientBase,
  explanation: Explanation,
  comparables: readonly ComparablePoint[],
): Promise<ReportSources> {
  const { gnaf_pid, serving } = explanation;
  const byKey = async (name: string, column: string): Promise<Map<string, string>> => {
    const table = SERVING_TABLES.find((each) => each.name === name) as Table;
    const records = await sourceRecords(client, table, column, gnaf_pid, serving[name] ?? []);
    return new Map(records.map((each) => [each.key, sourceText(each)]));
  };
  const { state, cell } = serving.property![0]!;
  const lga = serving.property_profile?.[0]?.lga ?? null;
  const { rows } = await client.query<{ theme: string; sources: string }>(COVERING, [state, lga, cell]);
  const sales = await client.query<{ key: string; sources: string }>(SALES, [
    comparables.map((each) => each.gnaf_pid),
  ]);
  const sourceTexts = {
    sales: new Map(sales.rows.map(({ key, sources }) => [key, sources])),
    overlays: await byKey('property_overlay', 'overlay_id'),
    hazards: await byKey('property_risk', 'feature_id'),
    assessed: new Map(rows.map(({ theme, sources }) => [theme, sources])),
  };
  const { address, parcel, zone, events } = explanation;
  const origins = [address, parcel, zone, ...events.flatMap(({ records }) => records)];
  const themes = HAZARD_LAYERS.flatMap((layer) => sourceTexts.assessed.get(layer) ?? []);
  const catalogue = (await client.query<SourceDataset>(CATALOGUE)).rows;
  const names = catalogue.map(({ dataset }) => dataset);
  const namedDatasets = new Set([
    ...namesIn([...themes, ...sourceTexts.overlays.values(), ...sourceTexts.hazards.values()]),
    ...origins.flatMap((origin) => origin?.dataset ?? []),
    ...(comparables.length > 0 ? await marketDatasets(client, names, state as string) : []),
  ]);
  const datasets = catalogue.filter(
    ({ dataset, adapter }) => namedDatasets.has(dataset) || adapter === 'asgs',
  );
  return { ...sourceTexts, datasets };
}
