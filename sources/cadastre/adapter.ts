import { cellOf, cellsOfBbox } from '../../schema/grid.ts';
import { parcelRecord, parcelSpillRecord } from '../../schema/records/parcel.ts';
import type { Row } from '../../schema/table.ts';
import { normaliseLotPlan } from '../../transforms/address/lot_plan.ts';
import { geodesicAreaSqm } from '../../transforms/geo/area.ts';
import { bboxOf, type MultiPolygon } from '../../transforms/geo/geometry.ts';
import { decodeWkb, encodeWkb } from '../../transforms/geo/wkb.ts';
import type { Part, ReadContext, RecordBatch, Release, SourceAdapter, SourceBatch } from '../adapter.ts';
import { statedId } from '../fields/tidy_text.ts';
import type { FeatureField, FeatureSource, Features, Problem } from '../formats/feature.ts';
import { findFields, requireFields } from '../formats/table/columns.ts';
import { openFeatureFile } from '../formats/vector/feature_file.ts';
import { findFeatureFiles } from '../release/feature_release.ts';
import { type FeatureRows, type MadeRow, readFeatures, type ShapeOf } from '../release/feature_rows.ts';
import type { RowTally } from '../tally.ts';
import { bindDrops, type DropTest } from './drops.ts';
import type { CadastreFieldMap } from './field_maps.ts';
import {
  type FollowedParts,
  LotParts,
  LotSurvey,
  type UnitedLot,
  united,
  unitedParts,
  type WholeLot,
} from './lot_parts.ts';
import { LotPlanText } from './lot_plan_text.ts';
import { readCadastreOptions } from './options.ts';

type ParcelRow = Row<typeof parcelRecord>;
type SpillRow = Row<typeof parcelSpillRecord>;

/** Margin added to a bounding box before its cells are listed, degrees (about one metre). */
const SPILL_MARGIN_DEG = 1e-5;

export interface CadastrePart {
  readonly layer: FeatureSource;
  readonly state: string;
  readonly map: CadastreFieldMap;
}

/** State cadastres from vector files of any format, each through the field map of its state. */
export const cadastreAdapter: SourceAdapter = {
  name: 'cadastre',
  version: 11,
  placeUnit: 'feature',
  title: 'Cadastral parcels',
  publisher: 'State and territory land administration agencies',
  licence: 'CC BY 4.0; TAS CC BY 3.0 AU; WA with attributes under its own terms',
  attribution: 'Contains cadastral data of the state and territory governments of Australia.',
  tables: [parcelRecord, parcelSpillRecord],
  checkOptions: readCadastreOptions,
  async discover(dataset) {
    const { state, layers, map } = readCadastreOptions(dataset);
    const { found, crs, notes, label } = await findFeatureFiles(dataset, layers);
    for (const { fields, source } of found) notes.push(...bindColumns(map, fields, source.file).notes);
    return {
      release: { dataset, id: dataset.release ?? label, crs, notes },
      parts: found.map((each) => ({
        id: each.id,
        source: { layer: each.source, state, map } satisfies CadastrePart,
      })),
    };
  },
  readPart: readPart,
  unite: (dataset, table) =>
    table === parcelRecord && readCadastreOptions(dataset).map.unite_lots ? uniteParcels : null,
};

/** Merges the pieces of one lot from several files. Null: the rows have no lot on plan or different ones. */
function uniteParcels(rows: readonly Readonly<Record<string, unknown>>[]): RecordBatch[] | null {
  const parts = rows as readonly ParcelRow[];
  const [first] = parts as readonly [ParcelRow];
  if (first.lot_plan === null || parts.some(({ lot_plan }) => lot_plan !== first.lot_plan)) return null;
  const union = unitedParts(
    parts.map((part) => ({ geometry: decodeWkb(part.geom), repaired: part.repaired })),
  );
  if (union === null) return null;
  const { geometry, repaired } = union;
  const { source_no: feature, parcel_id: parcelId, state, lot_plan: lotPlan } = first;
  const parcel = parcelRow({ feature, parcelId, state, lotPlan, geometry, repaired });
  const spills: SpillRow[] = [];
  addSpills(parcel, spills);
  return [
    { table: parcelRecord, rows: [parcel] } as RecordBatch,
    { table: parcelSpillRecord, rows: spills } as RecordBatch,
  ];
}

/** Columns of a file that its field map needs. */
interface ParcelColumns {
  /** Empty: the file has none, and the map names its parcels in another way. */
  readonly ids: readonly FeatureField[];
  readonly unnamed: boolean;
  readonly lotPlan: LotPlanText;
  readonly dropOf: DropTest;
  /** Every column that is read. */
  readonly readFields: readonly FeatureField[];
  readonly notes: readonly string[];
}

function bindColumns(map: CadastreFieldMap, fields: readonly FeatureField[], file: string): ParcelColumns {
  const ids = map.unnamed
    ? findFields(fields, map.parcel_id)
    : requireFields(fields, map.parcel_id, file, 'the identifier of a parcel');
  const { test, absent, bound } = bindDrops(map.drops, fields);
  const notes =
    absent.length === 0 ? [] : [`${file}: no column ${absent.join(', ')}: that filter is not applied.`];
  const lotPlan = new LotPlanText([map.lot_plan, map.lot_plan_else], fields);
  if (lotPlan.fields.length === 0 && map.lot_plan !== null) {
    notes.push(
      `${file}: no column for the lot on plan (${map.lot_plan.parts.flat().join(', ')}); addresses find their parcel by position only.`,
    );
  }
  if (ids.length === 0)
    notes.push(
      `${file}: no column ${map.parcel_id.join(' or ')}: parcels are named by their lot on plan, or by their number in the file, which changes with each release.`,
    );
  return {
    ids,
    unnamed: map.unnamed,
    lotPlan,
    dropOf: test,
    readFields: [...ids, ...lotPlan.fields, ...bound],
    notes,
  };
}

async function* readPart(_release: Release, part: Part, { signal }: ReadContext): AsyncIterable<SourceBatch> {
  const { layer, state, map } = part.source as CadastrePart;
  const followed = map.unite_lots ? await surveyLots(layer, state, map, signal) : null;
  yield* readFeatures({
    source: layer,
    tables: [parcelRecord, parcelSpillRecord],
    kinds: ['polygon'],
    signal,
    bind: (fields) => new ParcelRows(bindColumns(map, fields, layer.file), state, layer.file, followed),
  });
}

/** Finds lots with several rows, from attribute columns alone. */
async function surveyLots(
  layer: FeatureSource,
  state: string,
  map: CadastreFieldMap,
  signal: AbortSignal | undefined,
): Promise<FollowedParts> {
  const survey = new LotSurvey();
  const polygons = await openFeatureFile(layer, signal, ['polygon']);
  try {
    const columns = bindColumns(map, polygons.fields, layer.file);
    for await (const batch of polygons.batches(columns.readFields))
      for (let row = 0; row < batch.count; row++) {
        if (fateOf(batch, row, columns) === null)
          survey.add(normaliseLotPlan(state, columns.lotPlan.of(batch, row)), batch.first + row);
      }
  } finally {
    await polygons.close();
  }
  return survey.followed();
}

/** Returns why a row is not a parcel, before its shape is read: the name of a drop, or a reject; null: it is a parcel. */
function fateOf(batch: Features, row: number, columns: ParcelColumns): string | Problem | null {
  const problem = batch.problem(row);
  if (problem !== null) return problem;
  const drop = batch.dropOf(row) ?? columns.dropOf(batch, row);
  if (drop !== null) return drop;
  return parcelIdOf(batch, row, columns) === null
    ? { code: 'missing_key', message: `column ${columns.ids.map(({ name }) => name).join(', ')} is blank` }
    : null;
}

/** Returns the identifier of a row; null: it has none, and the map has no other name for it. */
function parcelIdOf(batch: Features, row: number, columns: ParcelColumns): string | null {
  for (const field of columns.ids) {
    const id = statedId(batch.id(row, field));
    if (id !== null) return id;
  }
  if (!columns.unnamed) return null;
  return columns.lotPlan.of(batch, row) ?? `#${batch.first + row}`;
}

/** Turns the rows of one file into parcels; `followed` null: every row is its own parcel. */
class ParcelRows implements FeatureRows<'polygon'> {
  readonly readFields: readonly FeatureField[];
  readonly #columns: ParcelColumns;
  readonly #state: string;
  readonly #file: string;
  readonly #lots: LotParts | null;
  /** Kept rows, with or without a valid shape. */
  #keptRows = 0;
  /** Rows merged into a lot that another row names. */
  #merged = 0;
  /** Rows of lots whose pieces cannot be united. */
  readonly #apart: WholeLot[] = [];

  constructor(columns: ParcelColumns, state: string, file: string, followed: FollowedParts | null) {
    this.readFields = columns.readFields;
    this.#columns = columns;
    this.#state = state;
    this.#file = file;
    this.#lots = followed === null ? null : new LotParts(followed);
  }

  fateOf(batch: Features, row: number): string | Problem | null {
    const fate = fateOf(batch, row, this.#columns);
    if (fate === null) this.#keptRows++;
    return fate;
  }

  nameOf(batch: Features, row: number): string {
    return `parcel ${parcelIdOf(batch, row, this.#columns)}`;
  }

  rowsOf(batch: Features, row: number, { geometry, repaired }: ShapeOf<'polygon'>): Iterable<MadeRow> {
    const id = parcelIdOf(batch, row, this.#columns)!;
    const lotPlan = normaliseLotPlan(this.#state, this.#columns.lotPlan.of(batch, row));
    const part = { feature: batch.first + row, id, lotPlan, geometry, repaired };
    const lot = this.#lots === null ? united([part]) : this.#lots.take(part, this.#keptRows - 1);
    return lot === null ? [] : this.#rowsOf(lot);
  }

  finish(tally: RowTally) {
    const rows = [...(this.#lots?.rest() ?? [])].flatMap((lot) => this.#rowsOf(lot));
    tally.records -= this.#merged + this.#apart.length;
    tally.merged = this.#merged;
    for (const { feature, id, geometry } of this.#apart)
      tally.reject(
        feature,
        'parts_not_united',
        `parcel ${id}: the pieces of its lot overlap and cannot be united.`,
        { extent: bboxOf(geometry.coords) },
      );
    return { rows, notes: this.#columns.lotPlan.notes(this.#file) };
  }

  #rowsOf({ pieces, lot }: UnitedLot): MadeRow[] {
    if (lot === null) {
      this.#apart.push(...pieces);
      return [];
    }
    this.#merged += pieces.length - 1;
    const { feature, id, lotPlan, geometry, repaired } = lot;
    const state = this.#state;
    const parcel = parcelRow({ feature, parcelId: `${state}:${id}`, state, lotPlan, geometry, repaired });
    const spills: SpillRow[] = [];
    addSpills(parcel, spills);
    return [[parcelRecord, parcel], ...spills.map((spill): MadeRow => [parcelSpillRecord, spill])];
  }
}

interface ReadParcel {
  /** Number of its feature in the file. */
  feature: number;
  parcelId: string;
  state: string;
  lotPlan: string | null;
  geometry: MultiPolygon;
  /** What was repaired in its shape; null: nothing. */
  repaired: string | null;
}

function parcelRow({ feature, parcelId, state, lotPlan, geometry, repaired }: ReadParcel): ParcelRow {
  const [minLon, minLat, maxLon, maxLat] = bboxOf(geometry.coords);
  return {
    load_id: 0,
    source_no: feature,
    cell: cellOf((minLon + maxLon) / 2, (minLat + maxLat) / 2),
    parcel_id: parcelId,
    state,
    lot_plan: lotPlan,
    area_sqm: geodesicAreaSqm(geometry),
    min_lon: minLon,
    min_lat: minLat,
    max_lon: maxLon,
    max_lat: maxLat,
    repaired,
    geom: encodeWkb(geometry),
  };
}

function addSpills(parcel: ParcelRow, spills: SpillRow[]): void {
  const { source_no, cell: home_cell, parcel_id } = parcel;
  const touched = cellsOfBbox([
    parcel.min_lon - SPILL_MARGIN_DEG,
    parcel.min_lat - SPILL_MARGIN_DEG,
    parcel.max_lon + SPILL_MARGIN_DEG,
    parcel.max_lat + SPILL_MARGIN_DEG,
  ]);
  for (const cell of touched) {
    if (cell !== home_cell) spills.push({ load_id: 0, source_no, cell, home_cell, parcel_id });
  }
}
