import { z } from 'zod';
import { meshBlockAllocationRecord } from '../../schema/records/allocation.ts';
import type {
  regionPieceRecord as PieceTable,
  regionRecord as RegionTable,
} from '../../schema/records/region.ts';
import { regionPieceRecord, regionRecord } from '../../schema/records/region.ts';
import type { Row } from '../../schema/table.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { outlineOf } from '../../transforms/geo/outline.ts';
import { cutIntoCells } from '../../transforms/geo/pieces.ts';
import { encodeWkb } from '../../transforms/geo/wkb.ts';
import type { Batch, Part, RecordBatch, Release, SourceAdapter } from '../adapter.ts';
import type { FeatureField, FeatureSource, Features } from '../formats/feature.ts';
import { openFeatureFile, readableRows, shapeAs } from '../formats/feature_file.ts';
import { findFeatureFiles, layersOption } from '../formats/feature_release.ts';
import { parseOptions } from '../formats/options.ts';
import { RowBatches } from '../formats/row_batches.ts';
import { Tally } from '../formats/tally.ts';
import { readAllocation, readAllocationHeader } from './allocation.ts';
import { isAllocation, splitAllocations } from './allocation_files.ts';
import type { RegionFile } from './levels.ts';
import { recogniseRegionFile } from './levels.ts';

type RegionRow = Row<typeof RegionTable>;
type PieceRow = Row<typeof PieceTable>;

const optionsSchema = z.strictObject({ layers: layersOption });

/** What a dataset of allocation tables alone finds: no shapes, whose CRS would matter. */
const NO_BOUNDARIES = {
  found: [],
  crs: { applied: 'EPSG:7844', stated: null, overridden: false },
  notes: [],
};

/** ABS boundaries (ASGS main structure, SAL, LGA, POA) from vector files of any format and edition, and mesh-block allocation tables. */
export const asgsAdapter: SourceAdapter = {
  name: 'asgs',
  version: 5,
  place: 'feature',
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
    const { found, crs, notes } = only ? NO_BOUNDARIES : await findFeatureFiles(boundaries, layers);
    const years = new Set<number>();
    for (const each of found) years.add(recogniseRegionFile(each.fields, each.source.file).year);
    for (const each of allocations)
      for (const { year } of (await readAllocationHeader(each)).levels) years.add(year);
    const id = dataset.release ?? [...years].sort().join(', ');
    return {
      // a table beside boundaries in a zip is read, though it is no layer
      release: {
        dataset,
        id,
        crs,
        notes: notes.filter((note) => !allocations.some(({ file }) => note.startsWith(file))),
      },
      parts: [
        ...found.map((each) => ({ id: each.id, source: each.source })),
        ...allocations.map((each) => ({ id: `allocation ${each.file}`, source: each })),
      ],
    };
  },
  read,
};

async function* read(_release: Release, part: Part, context: { signal?: AbortSignal }): AsyncIterable<Batch> {
  if (isAllocation(part.source)) {
    yield* readAllocation(part.source, context.signal);
    return;
  }
  const source = part.source as FeatureSource;
  const polygons = await openFeatureFile(source, context.signal, ['polygon']);
  try {
    const file = recogniseRegionFile(polygons.fields, source.file);
    const tally = new Tally(source.file, regionRecord.name, 'feature');
    const pieces = new RowBatches(regionPieceRecord, null);
    for await (const batch of polygons.batches(Object.values(file.columns))) {
      const regions: RegionRow[] = [];
      for (const row of readableRows(batch, tally)) {
        const feature = batch.first + row;
        const code = batch.id(row, file.columns.code);
        const shape = shapeAs(batch, row, 'polygon');
        if (code === null) {
          tally.reject(feature, 'missing_key', `column ${file.columns.code.name} is blank`);
          continue;
        }
        if (shape.geometry === null && shape.reject !== null) {
          tally.reject(feature, shape.reject.code, `${file.level} ${code}: ${shape.reject.message}`);
          continue;
        }
        const region = regionRow(batch, row, feature, code, file, shape.geometry);
        regions.push(region);
        if (shape.geometry !== null)
          yield* pieces.addAll(pieceRows(region, shape.geometry), (each) => each.geom.length);
      }
      tally.records += regions.length;
      yield {
        records: [{ table: regionRecord, rows: regions } as RecordBatch],
        rejects: tally.takeRejects(),
      };
    }
    yield { ...pieces.rest(), accounts: tally.accounts(), notes: polygons.notes() };
  } finally {
    await polygons.close();
  }
}

/** Levels whose shapes are shown on maps. */
const WITH_OUTLINE: ReadonlySet<string> = new Set(['SAL', 'SA2', 'SA3', 'SA4', 'LGA', 'POA']);

/** State digit of a code that starts with it; the letters of places outside Australia give null. */
const stateDigit = (code: string | null): string | null =>
  code !== null && /^[1-9]/.test(code) ? code[0]! : null;

function regionRow(
  batch: Features,
  row: number,
  feature: number,
  code: string,
  file: RegionFile,
  geometry: MultiPolygon | null,
): RegionRow {
  const { columns, level } = file;
  const id = (field: FeatureField | null): string | null => (field === null ? null : batch.id(row, field));
  return {
    load_id: 0,
    source_no: feature,
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

function* pieceRows(region: RegionRow, geometry: MultiPolygon): Iterable<PieceRow> {
  const {
    mb_category: _category,
    area_sqkm: _area,
    has_geometry: _has,
    outline: _outline,
    ...attributes
  } = region;
  for (const piece of cutIntoCells(geometry)) {
    yield { ...attributes, cell: piece.cell, geom: encodeWkb(piece.geometry) };
  }
}
