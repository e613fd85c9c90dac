import { z } from 'zod';
import type {
  regionPieceRecord as PieceTable,
  regionRecord as RegionTable,
} from '../../schema/records/region.ts';
import { regionPieceRecord, regionRecord } from '../../schema/records/region.ts';
import type { Row } from '../../schema/table.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { cutIntoCells } from '../../transforms/geo/pieces.ts';
import { encodeWkb } from '../../transforms/geo/wkb.ts';
import type { Batch, Part, RecordBatch, Release, SourceAdapter } from '../adapter.ts';
import type { DbfField, DbfRows } from '../formats/dbf.ts';
import { parseOptions } from '../formats/options.ts';
import { PieceBatches } from '../formats/piece_batches.ts';
import { FileTally, openPolygonFile, polygonOf } from '../formats/polygon_features.ts';
import type { ShapefileSource } from '../formats/shapefile_release.ts';
import { findShapefiles, layersOption } from '../formats/shapefile_release.ts';
import type { RegionFile } from './levels.ts';
import { recogniseRegionFile } from './levels.ts';

type RegionRow = Row<typeof RegionTable>;
type PieceRow = Row<typeof PieceTable>;

const optionsSchema = z.strictObject({ layers: layersOption });

/** ABS boundaries (ASGS main structure, SAL, LGA, POA) from shapefiles of any edition. */
export const asgsAdapter: SourceAdapter = {
  name: 'asgs',
  version: 1,
  place: 'feature',
  title: 'Australian Statistical Geography Standard, digital boundary files',
  publisher: 'Australian Bureau of Statistics',
  licence: 'CC-BY-4.0',
  attribution: 'Based on Australian Bureau of Statistics data, ASGS digital boundary files.',
  tables: [regionRecord, regionPieceRecord],
  async discover(dataset) {
    const { layers } = parseOptions(optionsSchema, dataset);
    const { found, crs, notes } = await findShapefiles(dataset, layers);
    const years = new Set<number>();
    for (const each of found) years.add(recogniseRegionFile(each.header.dbf.fields, each.source.file).year);
    const id = dataset.release ?? [...years].sort().join(', ');
    return {
      release: { dataset, id, crs, notes },
      parts: found.map((each) => ({ id: each.id, source: each.source })),
    };
  },
  read,
};

async function* read(_release: Release, part: Part, context: { signal?: AbortSignal }): AsyncIterable<Batch> {
  const source = part.source as ShapefileSource;
  const polygons = await openPolygonFile(source, context.signal);
  try {
    const file = recogniseRegionFile(polygons.fields, source.file);
    const tally = new FileTally(source.file, regionRecord.name);
    tally.account.rows_in = polygons.count;
    const pieces = new PieceBatches<typeof PieceTable>(regionPieceRecord);
    for await (const batch of polygons.batches()) {
      const regions: RegionRow[] = [];
      for (let row = 0; row < batch.count; row++) {
        const feature = batch.first + row;
        if (batch.rows.deleted(row)) {
          tally.drop('deleted_in_dbf');
          continue;
        }
        const code = batch.rows.id(row, file.columns.code);
        const shape = polygonOf(batch, row);
        if (code === null) {
          tally.reject(feature, 'missing_key', `column ${file.columns.code.name} is blank`);
          continue;
        }
        if (shape.geometry === null && shape.reject !== null) {
          tally.reject(feature, shape.reject.code, `${file.level} ${code}: ${shape.reject.message}`);
          continue;
        }
        const region = regionRow(batch.rows, row, feature, code, file, shape.geometry !== null);
        regions.push(region);
        if (shape.geometry !== null)
          yield* pieces.addAll(pieceRows(region, shape.geometry), (each) => each.geom.length);
      }
      tally.account.records += regions.length;
      yield {
        records: [{ table: regionRecord, rows: regions } as RecordBatch],
        rejects: tally.takeRejects(),
      };
    }
    yield { records: pieces.rest(), accounts: [tally.account] };
  } finally {
    await polygons.close();
  }
}

/** State digit of a code that starts with it; the letters of places outside Australia give null. */
const stateDigit = (code: string | null): string | null =>
  code !== null && /^[1-9]/.test(code) ? code[0]! : null;

function regionRow(
  rows: DbfRows,
  row: number,
  feature: number,
  code: string,
  file: RegionFile,
  hasGeometry: boolean,
): RegionRow {
  const { columns, level } = file;
  const id = (field: DbfField | null): string | null => (field === null ? null : rows.id(row, field));
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
    area_sqkm: columns.area_sqkm === null ? null : rows.number(row, columns.area_sqkm),
    has_geometry: hasGeometry,
  };
}

function* pieceRows(region: RegionRow, geometry: MultiPolygon): Iterable<PieceRow> {
  const { mb_category: _category, area_sqkm: _area, has_geometry: _has, ...attributes } = region;
  for (const piece of cutIntoCells(geometry)) {
    yield { ...attributes, cell: piece.cell, geom: encodeWkb(piece.geometry) };
  }
}
