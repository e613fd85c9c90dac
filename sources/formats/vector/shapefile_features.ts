import type {
  Family,
  FeatureField,
  FeaturePlace,
  Features,
  FormatFile,
  FormatHeader,
  Problem,
  Shape,
} from '../feature.ts';
import type { DbfField } from './dbf.ts';
import { rejectedShape, shapeOf } from './feature_shape.ts';
import { type FeatureBatch, openShapefile, readShapefileHeader, type ShapefileHeader } from './shapefile.ts';
import type { ShapeFamily } from './shp.ts';

const FAMILY: Readonly<Record<ShapeFamily, Family | null>> = {
  null: null,
  point: 'point',
  multipoint: 'point',
  line: 'line',
  polygon: 'polygon',
};

const fieldOf = ({ name, type }: DbfField, key: number): FeatureField => ({
  name,
  numeric: 'NFIO'.includes(type),
  key,
});

/** Rows of a .dbf and shapes of a .shp, decoded only when they are read. */
class ShapefileFeatures implements Features {
  readonly first: number;
  readonly count: number;
  readonly #batch: FeatureBatch;
  readonly #columns: readonly DbfField[];
  readonly #family: Family;

  constructor(batch: FeatureBatch, columns: readonly DbfField[], family: Family) {
    this.first = batch.first;
    this.count = batch.count;
    this.#batch = batch;
    this.#columns = columns;
    this.#family = family;
  }

  problem(): Problem | null {
    return null;
  }

  dropOf(row: number): string | null {
    return this.#batch.rows.deleted(row) ? 'deleted_in_dbf' : null;
  }

  text(row: number, field: FeatureField): string | null {
    return this.#batch.rows.text(row, this.#columns[field.key as number]!);
  }

  number(row: number, field: FeatureField): number | null {
    return this.#batch.rows.number(row, this.#columns[field.key as number]!);
  }

  id(row: number, field: FeatureField): string | null {
    return this.#batch.rows.id(row, this.#columns[field.key as number]!);
  }

  shape(row: number): Shape {
    const problem = this.#batch.problem(row);
    if (problem !== null) return rejectedShape('bad_shape', problem);
    const shape = this.#batch.geometry(row);
    if (shape === null) return { kind: 'none' };
    return shapeOf(this.#family, shape.coords, shape.ringEnds);
  }
}

function headerOf({ shp, dbf, prj, paths }: ShapefileHeader, path: string): FormatHeader {
  const family = FAMILY[shp.family];
  return {
    fields: dbf.fields.map(fieldOf),
    families: new Set(family === null ? [] : [family]),
    crs: prj,
    changed: dbf.changed,
    siblings: paths.filter((each) => each !== path),
  };
}

/** Reads the headers of a shapefile without unpacking a zip. EtlErrors as openShapefile. */
export async function readShapefileFields(location: FeaturePlace): Promise<FormatHeader> {
  const header = await readShapefileHeader(location.path, {
    file: location.file,
    member: location.member ?? undefined,
  });
  return headerOf(header, location.path);
}

/** Opens a shapefile as a layer of features. EtlErrors as openShapefile. */
export async function openShapefileFeatures(
  location: FeaturePlace,
  signal?: AbortSignal,
): Promise<FormatFile> {
  signal?.throwIfAborted();
  const reader = await openShapefile(location.path, {
    file: location.file,
    member: location.member ?? undefined,
  });
  const family = FAMILY[reader.header.shp.family] ?? 'polygon';
  return {
    ...headerOf(reader.header, location.path),
    notes: () => [],
    close: () => reader.close(),
    async *features(toGda2020) {
      for await (const batch of reader.features()) {
        signal?.throwIfAborted();
        // all coordinates of the batch in one call
        toGda2020(batch.coords);
        yield new ShapefileFeatures(batch, reader.fields, family);
      }
    },
  };
}
