import { EtlError, type Reject } from '../../schema/errors.ts';
import { recogniseCrs, toGda2020 } from '../../transforms/geo/crs.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { assemblePolygons } from '../../transforms/geo/rings.ts';
import type { InputAccount } from '../adapter.ts';
import type { DbfField } from './dbf.ts';
import type { FeatureBatch } from './shapefile.ts';
import { openShapefile } from './shapefile.ts';
import type { ShapefileSource } from './shapefile_release.ts';

/** Outcome of the shape of one row: a valid multipolygon in GDA2020, a null shape, or why it is set aside. */
export type PolygonOutcome =
  | { geometry: MultiPolygon; repaired: string | null }
  | { geometry: null; reject: { code: string; message: string } | null };

/** An open shapefile of polygons. */
export interface PolygonFile {
  readonly fields: readonly DbfField[];
  /** Records of the .dbf. */
  readonly count: number;
  /** All features in order, once, coordinates in GDA2020; closes the file at the end, at an error, on abort. */
  batches(): AsyncIterable<FeatureBatch>;
  close(): Promise<void>;
}

/** Opens one shapefile of a release. EtlError `wrong_shape_type` where it does not hold polygons. */
export async function openPolygonFile(source: ShapefileSource, signal?: AbortSignal): Promise<PolygonFile> {
  signal?.throwIfAborted();
  const shift = toGda2020(recogniseCrs(source.crs, source.file));
  const reader = await openShapefile(source.path, { file: source.file, member: source.member ?? undefined });
  if (reader.header.shp.family !== 'polygon' && reader.header.shp.family !== 'null') {
    await reader.close();
    throw new EtlError(
      'wrong_shape_type',
      `${source.file}: the file holds shapes of type ${reader.shapeType}, polygons (5, 15, 25) are needed. Check that it is the right layer.`,
      { details: { file: source.file, shapeType: reader.shapeType } },
    );
  }
  return {
    fields: reader.fields,
    count: reader.count,
    close: () => reader.close(),
    async *batches() {
      for await (const batch of reader.features()) {
        signal?.throwIfAborted();
        shift(batch.coords);
        yield batch;
      }
    },
  };
}

/** Shape of a row as a valid multipolygon. */
export function polygonOf(batch: FeatureBatch, row: number): PolygonOutcome {
  const problem = batch.problem(row);
  if (problem !== null) return { geometry: null, reject: { code: 'bad_shape', message: problem } };
  const shape = batch.geometry(row);
  if (shape === null) return { geometry: null, reject: null };
  const assembled = assemblePolygons(shape.coords, shape.ringEnds);
  return assembled.reject === undefined ? assembled : { geometry: null, reject: assembled.reject };
}

/** Counts what became of the rows of one file, and keeps the rejects until they are taken. */
export class FileTally {
  readonly account: InputAccount;
  #rejects: Reject[] = [];

  constructor(file: string, table: string) {
    this.account = { file, table, rows_in: 0, records: 0, rejects: 0, drops: {} };
  }

  drop(name: string): void {
    this.account.drops[name] = (this.account.drops[name] ?? 0) + 1;
  }

  /** Sets a feature aside; `feature` counts from 1. */
  reject(feature: number, code: string, message: string): void {
    this.account.rejects++;
    this.#rejects.push({ code, file: this.account.file, at: `feature ${feature}`, message });
  }

  /** Rejects since the last call. */
  takeRejects(): Reject[] {
    const taken = this.#rejects;
    this.#rejects = [];
    return taken;
  }
}
