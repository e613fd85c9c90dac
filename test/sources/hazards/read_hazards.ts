import { coverageAreaRecord, coveragePieceRecord } from '../../../schema/records/coverage.ts';
import { hazardPieceRecord } from '../../../schema/records/hazard.ts';
import type { Row } from '../../../schema/table.ts';
import type { DatasetConfig } from '../../../sources/adapter.ts';
import { hazardsAdapter } from '../../../sources/hazards/adapter.ts';
import { readPart } from '../conformance.ts';
import type { ReleaseFolder } from '../release_folder.ts';
import { type FieldSpec, GDA2020_PRJ, square } from '../shapefile_writer.ts';

export const HERE = square(145.01, -37.81, 0.001);
export const BOW_TIE = [145.01, -37.81, 145.02, -37.8, 145.02, -37.81, 145.01, -37.8, 145.01, -37.81];

/** Everything that a hazard dataset gives, over all its parts. */
export async function readAll(dataset: DatasetConfig) {
  const { release, parts } = await hazardsAdapter.discover(dataset);
  const results = [];
  for (const part of parts) results.push(await readPart(hazardsAdapter, release, part));
  return {
    release,
    parts,
    pieces: results.flatMap(({ rows }) => rows.get(hazardPieceRecord) ?? []) as Row<
      typeof hazardPieceRecord
    >[],
    areas: results.flatMap(({ rows }) => rows.get(coverageAreaRecord) ?? []) as Row<
      typeof coverageAreaRecord
    >[],
    outlines: results.flatMap(({ rows }) => rows.get(coveragePieceRecord) ?? []) as Row<
      typeof coveragePieceRecord
    >[],
    accounts: results.flatMap(({ accounts }) => accounts),
    rejects: results.flatMap(({ rejects }) => rejects),
    notes: results.flatMap(({ notes }) => notes),
  };
}

/** Writes polygons with text columns. */
export const writePolygons = (
  folder: ReleaseFolder,
  stem: string,
  names: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  shapes?: Parameters<ReleaseFolder['shapefile']>[1]['shapes'],
) =>
  folder.shapefile(stem, {
    shapeType: 5,
    fields: names.map((name): FieldSpec => [name, 'C', 80]),
    rows,
    shapes: shapes ?? rows.map(() => [HERE]),
    prj: GDA2020_PRJ,
    cpg: 'UTF-8',
    encoding: 'utf8',
  });
