import { basename } from 'node:path';
import { z } from 'zod';
import { type Bbox, BOUNDS } from '../../schema/grid.ts';
import {
  type CoverageTheme,
  coverageAreaRecord,
  coveragePieceRecord,
  WHOLE_STATE,
} from '../../schema/records/coverage.ts';
import { STATE_OF_DIGIT } from '../../schema/states.ts';
import type { Row } from '../../schema/table.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import type { DatasetConfig, InputAccount, Part, SourceBatch } from '../adapter.ts';
import type { FeatureSource } from '../formats/feature.ts';
import { polygonPieces } from './feature_pieces.ts';
import { findFeatureFiles } from './feature_release.ts';
import { readFeatures } from './feature_rows.ts';
import { badOption } from './options.ts';
import { RowBatches } from './row_batches.ts';

/** States and territories, in the order of their ABS digits. */
export const STATES = ['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT', 'OT'] as const;
/** State of a dataset that covers all of them. */
export const NATIONAL = 'AU';
/** States in national layers: the external territories are not on the mainland's maps. */
const COVERED_STATES = STATES.filter((state) => state !== 'OT');

const lon = z.number().min(BOUNDS.minLon).max(BOUNDS.maxLon);
const lat = z.number().min(BOUNDS.minLat).max(BOUNDS.maxLat);
const bbox = z
  .tuple([lon, lat, lon, lat])
  .refine(([west, south, east, north]) => west < east && south < north, {
    message: 'is [west, south, east, north] in degrees',
  });

/**
 * Option for where a dataset has every feature of its theme, so that no feature means none exists. It is the whole `state`, several states
 * (AU for all), councils by LGA code, a box in GDA2020 degrees, or the polygons of a file in the dataset. `none`: nowhere. Absent: as in
 * the field map.
 */
export const coverageOption = z
  .union(
    [
      z.enum(['state', 'none']),
      z.strictObject({ states: z.array(z.enum([...STATES, NATIONAL])).min(1) }),
      z.strictObject({ lga: z.array(z.string().regex(/^[1-9]\d{4}$/)).min(1) }),
      z.strictObject({ bbox }),
      z.strictObject({ file: z.string().min(1) }),
    ],
    {
      error:
        'state, none, {states: [VIC]}, {lga: ["21110"]}, {bbox: [west, south, east, north]} or {file: outline.geojson}',
    },
  )
  .optional();
export type CoverageOption = NonNullable<z.output<typeof coverageOption>>;

/** The part of a dataset that states its coverage; survives structured cloning. */
export interface CoverageSource {
  readonly kind: 'coverage';
  readonly dataset: string;
  readonly theme: CoverageTheme;
  readonly extent:
    | { readonly areas: readonly { readonly state: string; readonly area: string }[] }
    | { readonly bbox: Bbox }
    | { readonly outlines: FeatureSource };
}

/** Name of the coverage part, and of the row account of rows from the configuration. */
const PART = '(coverage)';
const FROM_OPTION = 'option coverage';

/** True for a part from planCoverage. */
export const isCoverage = (source: unknown): source is CoverageSource =>
  (source as { kind?: unknown }).kind === 'coverage';

/** Coverage of a dataset, and the dataset without the file that states it. */
export interface CoveragePlan {
  /** One part; empty: nothing is covered. */
  readonly parts: Part[];
  readonly notes: string[];
  /** The dataset, limited to the files with its features. */
  readonly features: DatasetConfig;
}

/**
 * Determines the coverage of a dataset. `statewide` is the default of its field map if the option is absent. EtlError `bad_option` for an
 * LGA of another state, and for a file that is not configured or holds several layers.
 */
export async function planCoverage(
  dataset: DatasetConfig,
  theme: CoverageTheme,
  state: string,
  option: CoverageOption | undefined,
  statewide: boolean,
): Promise<CoveragePlan> {
  const chosen = option ?? (statewide ? 'state' : 'none');
  const plan = (extent: CoverageSource['extent'], features = dataset): CoveragePlan => {
    const source: CoverageSource = { kind: 'coverage', dataset: dataset.id, theme, extent };
    return { parts: [{ id: PART, source }], notes: [], features };
  };
  if (chosen === 'none') {
    const note = `Dataset ${dataset.id} states no coverage of ${theme}: places without a feature count as unknown. Set its option coverage where it is complete.`;
    return { parts: [], notes: option === undefined ? [note] : [], features: dataset };
  }
  const planOfStates = (states: readonly string[]): CoveragePlan => {
    const stateNames = states.flatMap((each) => (each === NATIONAL ? COVERED_STATES : [each]));
    return plan({ areas: [...new Set(stateNames)].map((each) => ({ state: each, area: WHOLE_STATE })) });
  };
  if (chosen === 'state') return planOfStates([state]);
  if ('states' in chosen) return planOfStates(chosen.states);
  if ('bbox' in chosen) return plan({ bbox: chosen.bbox });
  if ('lga' in chosen) return plan({ areas: lgaAreas(dataset, state, chosen.lga) });
  const { outlines, features, notes } = await findOutlines(dataset, chosen.file);
  return { ...plan({ outlines }, features), notes };
}

function lgaAreas(dataset: DatasetConfig, state: string, codes: readonly string[]) {
  return [...new Set(codes)].map((area) => {
    const home = STATE_OF_DIGIT[area[0]!]!;
    if (state === NATIONAL || home === state) return { state: home, area };
    throw badOption(dataset, `the LGA ${area} of its coverage is in ${home}, the dataset is of ${state}`);
  });
}

const stemOf = (path: string): string => path.replace(/(\.[^./\\]+)$/, '');

/** Finds the configured file that the option names, by its path or the end of it, including the other files of a shapefile. */
async function findOutlines(dataset: DatasetConfig, file: string) {
  const namedFiles = dataset.files.filter(({ path }) => path === file || `/${path}`.endsWith(`/${file}`));
  if (namedFiles.length !== 1) {
    const names = dataset.files.map(({ path }) => basename(path)).slice(0, 20);
    throw badOption(
      dataset,
      `the coverage file ${file} ${namedFiles.length === 0 ? 'is not among' : 'matches several of'} its files (${names.join(', ')}): add it to path of the dataset, so that its changes are noticed, and use a unique name`,
    );
  }
  const stem = stemOf(namedFiles[0]!.path);
  const isShapefile = /\.shp$/i.test(namedFiles[0]!.path);
  const belongs = (path: string): boolean =>
    path === namedFiles[0]!.path || (isShapefile && stemOf(path) === stem);
  const ownFiles = dataset.files.filter(({ path }) => belongs(path));
  const { found, notes } = await findFeatureFiles({ ...dataset, files: ownFiles }, null);
  if (found.length !== 1) {
    throw badOption(dataset, `the file ${file} of its coverage has ${found.length} layers: deliver only one`);
  }
  const features = { ...dataset, files: dataset.files.filter(({ path }) => !belongs(path)) };
  return { outlines: found[0]!.source, features, notes };
}

/** Reads a coverage part: rows of coverage_area or coverage_piece with their row account. */
export async function* readCoverage(
  source: CoverageSource,
  signal?: AbortSignal,
): AsyncIterable<SourceBatch> {
  signal?.throwIfAborted();
  const { extent } = source;
  if ('areas' in extent) yield areaBatch(source, extent.areas);
  else if ('bbox' in extent) {
    const pieces = new RowBatches(coveragePieceRecord, null);
    yield* pieces.addAll(pieceRows(source, rectangle(extent.bbox), 1, 1), sizeOf);
    yield { ...pieces.rest(), accounts: [optionAccount(coveragePieceRecord.name, 1)] };
  } else yield* readOutlines(source, extent.outlines, signal);
}

const optionAccount = (table: string, rows: number): InputAccount => ({
  file: FROM_OPTION,
  table,
  rows_in: rows,
  records: rows,
  rejects: 0,
  drops: {},
});

function areaBatch(
  { dataset, theme }: CoverageSource,
  areas: readonly { state: string; area: string }[],
): SourceBatch {
  const rows: Row<typeof coverageAreaRecord>[] = areas.map(({ state, area }, i) => ({
    load_id: 0,
    source_no: i + 1,
    dataset,
    theme,
    state,
    area,
  }));
  return {
    records: [{ table: coverageAreaRecord, rows } as never],
    accounts: [optionAccount(coverageAreaRecord.name, rows.length)],
  };
}

type CoveragePieceRow = Row<typeof coveragePieceRecord>;
const sizeOf = (row: CoveragePieceRow): number => row.geom.length;

function rectangle([west, south, east, north]: Bbox): MultiPolygon {
  const coords = Float64Array.of(west, south, east, south, east, north, west, north, west, south);
  return { coords, ringEnds: [5], polygonEnds: [1] };
}

function* pieceRows(
  { dataset, theme }: CoverageSource,
  outline: MultiPolygon,
  source_no: number,
  outline_no: number,
): Iterable<CoveragePieceRow> {
  for (const { cell, geom } of polygonPieces(outline))
    yield { load_id: 0, source_no, cell, dataset, theme, outline_no, geom };
}

/** Reads outlines with their feature numbers, so that a number stays the same if the previous outline is rejected. */
const readOutlines = (
  source: CoverageSource,
  outlines: FeatureSource,
  signal: AbortSignal | undefined,
): AsyncIterable<SourceBatch> =>
  readFeatures({
    source: outlines,
    tables: [coveragePieceRecord],
    kinds: ['polygon'],
    signal,
    bind: () => ({
      readFields: [],
      fateOf: () => null,
      *rowsOf(batch, row, { geometry }) {
        const feature = batch.first + row;
        for (const piece of pieceRows(source, geometry, feature, feature)) yield [coveragePieceRecord, piece];
      },
      finish: () => ({ notes: [] }),
    }),
  });
