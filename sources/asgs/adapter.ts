import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { meshBlockAllocationRecord } from '../../schema/records/allocation.ts';
import {
  type regionPieceRecord as PieceTable,
  type regionRecord as RegionTable,
  regionPieceRecord,
  regionRecord,
} from '../../schema/records/region.ts';
import type { Row } from '../../schema/table.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { outlineOf } from '../../transforms/geo/outline.ts';
import { encodeWkb } from '../../transforms/geo/wkb.ts';
import type { SourceAdapter } from '../adapter.ts';
import type { FeatureField, FeatureSource, Features, Problem } from '../formats/feature.ts';
import { polygonPieces } from '../release/feature_pieces.ts';
import { type FoundLayer, findFeatureFiles, layersOption } from '../release/feature_release.ts';
import { type FeatureRows, type MadeRow, readFeatures, type ShapeOf } from '../release/feature_rows.ts';
import { parseOptions } from '../release/options.ts';
import { readAllocation, readAllocationHeader } from './allocation.ts';
import { isAllocation, splitAllocations } from './allocation_files.ts';
import { isAustralia, type RegionFile, recogniseRegionFile } from './levels.ts';

type AsgsRegionRow = Row<typeof RegionTable>;
type AsgsPieceRow = Row<typeof PieceTable>;

const optionsSchema = z.strictObject({ layers: layersOption });

/** Discovery result of a dataset with allocation tables only: no shapes, so no CRS to find. */
const NO_BOUNDARIES = {
  found: [],
  crs: { applied: 'EPSG:7844', stated: null, overridden: false },
  notes: [],
};

/** ABS boundaries (ASGS main structure, SAL, LGA, POA) from vector files of any format and edition, and mesh-block allocation tables. */
export const asgsAdapter: SourceAdapter = {
  name: 'asgs',
  version: 8,
  placeUnit: 'feature',
  title: 'Australian Statistical Geography Standard, digital boundary files',
  publisher: 'Australian Bureau of Statistics',
  licence: 'CC-BY-4.0',
  attribution: 'Based on Australian Bureau of Statistics data, ASGS digital boundary files.',
  tables: [regionRecord, regionPieceRecord, meshBlockAllocationRecord],
  checkOptions: (dataset) => parseOptions(optionsSchema, dataset),
  async discover(dataset) {
    const { layers } = parseOptions(optionsSchema, dataset);
    const { allocations, boundaries } = await splitAllocations(dataset);
    const only = allocations.length > 0 && boundaries.files.length === 0;
    const {
      found: all,
      crs,
      notes: stated,
    } = only ? NO_BOUNDARIES : await findFeatureFiles(boundaries, layers);
    const australian = all.filter(({ fields }) => all.length === 1 || !isAustralia(fields));
    const others = all.filter((each) => !australian.includes(each));
    const notes = [
      ...stated,
      ...others.map(({ source }) => `${source.file} has Australia as a whole, no level of regions; skipped.`),
    ];
    checkLevels(australian);
    const years = new Set<number>();
    for (const each of australian) years.add(recogniseRegionFile(each.fields, each.source.file).year);
    for (const each of allocations)
      for (const { year } of (await readAllocationHeader(each)).levels) years.add(year);
    const id = dataset.release ?? [...years].sort().join(', ');
    return {
      // a table next to boundaries in a zip is read, though it is not a layer
      release: {
        dataset,
        id,
        crs,
        notes: notes.filter((note) => !allocations.some(({ file }) => note.startsWith(file))),
      },
      parts: [
        ...australian.map((each) => ({ id: each.id, source: each.source })),
        ...allocations.map((each) => ({ id: `allocation ${each.file}`, source: each })),
      ],
    };
  },
  readPart: (_release, { source }, { signal }) =>
    isAllocation(source)
      ? readAllocation(source, signal)
      : readFeatures({
          source: source as FeatureSource,
          tables: [regionRecord, regionPieceRecord],
          kinds: ['polygon', 'none'],
          signal,
          bind: (fields) => new RegionRows(fields, (source as FeatureSource).file),
        }),
};

/** Maximum area of the remnant of a region that a map program clipped to another boundary, square metres. */
const SLIVER_SQM = 1;

/** Checks that all layers are of known levels. EtlError `unknown_region_level`; it proposes the layers that are, if there are several. */
function checkLevels(layers: readonly FoundLayer[]): void {
  const knownLevels: string[] = [];
  let problem: EtlError | null = null;
  for (const { id, fields, source } of layers) {
    try {
      recogniseRegionFile(fields, source.file);
      knownLevels.push(id);
    } catch (error) {
      if (!(error instanceof EtlError)) throw error;
      problem ??= error;
    }
  }
  if (problem === null) return;
  if (knownLevels.length === 0) throw problem;
  throw new EtlError(
    problem.code,
    `${problem.message.replace(/ Leave it out of the pattern\.$/, '')} Leave it out of the pattern, or read only the known levels: set the option layers to [${knownLevels.join(', ')}].`,
    { details: { ...problem.details, options: { layers: knownLevels } } },
  );
}

/** Turns the features of one file into regions and their pieces. */
class RegionRows implements FeatureRows<'polygon' | 'none'> {
  readonly readFields: readonly (FeatureField | null)[];
  readonly #file: RegionFile;

  constructor(fields: readonly FeatureField[], file: string) {
    this.#file = recogniseRegionFile(fields, file);
    this.readFields = Object.values(this.#file.columns);
  }

  fateOf(batch: Features, row: number): Problem | null {
    const { code } = this.#file.columns;
    if (batch.id(row, code) !== null) return null;
    return { code: 'missing_key', message: `column ${code.name} is blank` };
  }

  readonly sliver_sqm = SLIVER_SQM;

  nameOf(batch: Features, row: number): string {
    return `${this.#file.level} ${batch.id(row, this.#file.columns.code)}`;
  }

  *rowsOf(batch: Features, row: number, shape: ShapeOf<'polygon' | 'none'>): Generator<MadeRow> {
    const geometry = shape.kind === 'none' ? null : shape.geometry;
    const region = regionRow(batch, row, this.#file, geometry);
    yield [regionRecord, region];
    if (geometry !== null) for (const piece of pieceRows(region, geometry)) yield [regionPieceRecord, piece];
  }

  finish() {
    return { notes: [] };
  }
}

/** Levels whose shapes are shown on maps. */
const WITH_OUTLINE: ReadonlySet<string> = new Set(['SAL', 'SA2', 'SA3', 'SA4', 'LGA', 'POA']);

/** Returns the state digit that a code starts with; null for the letters of places outside Australia. */
const stateDigit = (code: string | null): string | null =>
  code !== null && /^[1-9]/.test(code) ? code[0]! : null;

function regionRow(
  batch: Features,
  row: number,
  file: RegionFile,
  geometry: MultiPolygon | null,
): AsgsRegionRow {
  const { columns, level } = file;
  const code = batch.id(row, columns.code)!;
  const id = (field: FeatureField | null): string | null => (field === null ? null : batch.id(row, field));
  return {
    load_id: 0,
    source_no: batch.first + row,
    edition: file.edition,
    year: file.year,
    level,
    code,
    name: id(columns.name),
    sa1: id(columns.sa1),
    sa2: id(columns.sa2),
    sa2_name: id(columns.sa2_name),
    sa3: id(columns.sa3),
    sa3_name: id(columns.sa3_name),
    sa4: id(columns.sa4),
    sa4_name: id(columns.sa4_name),
    gccsa: id(columns.gccsa),
    gccsa_name: id(columns.gccsa_name),
    // Codes of every level but the POA start with the digit of their state.
    ste: level === 'POA' ? null : stateDigit(id(columns.ste) ?? code),
    mb_category: id(columns.mb_category),
    area_sqkm: columns.area_sqkm === null ? null : batch.number(row, columns.area_sqkm),
    has_geometry: geometry !== null,
    outline: geometry !== null && WITH_OUTLINE.has(level) ? encodeWkb(outlineOf(geometry)) : null,
  };
}

function* pieceRows(region: AsgsRegionRow, geometry: MultiPolygon): Iterable<AsgsPieceRow> {
  const {
    mb_category: _category,
    area_sqkm: _area,
    has_geometry: _has,
    outline: _outline,
    ...attributes
  } = region;
  for (const piece of polygonPieces(geometry)) yield { ...attributes, ...piece };
}
