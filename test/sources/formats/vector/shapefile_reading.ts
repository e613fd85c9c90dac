import type { DbfField, DbfRows } from '../../../../sources/formats/vector/dbf.ts';
import { openShapefile } from '../../../../sources/formats/vector/shapefile.ts';

/** A feature as plain objects. */
export interface ShapefileFeature {
  at: number;
  deleted: boolean;
  properties: Record<string, unknown>;
  problem: string | null;
  /** Rings of [x, y] pairs. */
  rings: number[][] | null;
}

/** Everything our reader gives, as plain objects. */
export async function readAll(
  path: string,
  options = {},
  into: ShapefileFeature[] = [],
): Promise<ShapefileFeature[]> {
  const reader = await openShapefile(path, options);
  for await (const batch of reader.features()) {
    for (let row = 0; row < batch.count; row++) {
      const shape = batch.geometry(row);
      const properties: Record<string, unknown> = {};
      for (const field of reader.fields) properties[field.name] = cellOf(batch.rows, row, field);
      into.push({
        at: batch.first + row,
        deleted: batch.rows.deleted(row),
        properties,
        problem: batch.problem(row),
        rings: shape === null ? null : ringsOf(shape),
      });
    }
  }
  return into;
}

function ringsOf({ coords, ringEnds }: { coords: Float64Array; ringEnds: number[] }): number[][] {
  let from = 0;
  return (ringEnds.length > 0 ? ringEnds : [coords.length / 2]).map((end) => {
    const ring = [...coords.subarray(from * 2, end * 2)];
    from = end;
    return ring;
  });
}

/** The cell in the type that its column declares: numbers, dates as `YYYY-MM-DD`, truth values, else text; null for blank. */
function cellOf(rows: DbfRows, row: number, field: DbfField): unknown {
  if ('NFIO'.includes(field.type)) return rows.number(row, field);
  const text = rows.text(row, field);
  if (field.type === 'L')
    return text === null ? null : ({ Y: true, T: true, N: false, F: false }[text.toUpperCase()] ?? null);
  if (field.type !== 'D') return text;
  const date = /^(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.exec(text ?? '');
  return date === null ? null : date.slice(1).join('-');
}
