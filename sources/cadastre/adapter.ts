import { z } from 'zod';
import { cellOf, cellsOfBbox } from '../../schema/grid.ts';
import { parcelRecord, parcelSpillRecord } from '../../schema/records/parcel.ts';
import type { Row } from '../../schema/table.ts';
import { normaliseLotPlan } from '../../transforms/address/lot_plan.ts';
import { geodesicAreaSqm } from '../../transforms/geo/area.ts';
import { bboxOf, type MultiPolygon } from '../../transforms/geo/geometry.ts';
import { encodeWkb } from '../../transforms/geo/wkb.ts';
import type { Batch, DatasetConfig, Part, RecordBatch, Release, SourceAdapter } from '../adapter.ts';
import { findField, requireField } from '../formats/columns.ts';
import type { DbfField, DbfRows } from '../formats/dbf.ts';
import { parseOptions } from '../formats/options.ts';
import { FileTally, openPolygonFile, polygonOf } from '../formats/polygon_features.ts';
import { findShapefiles } from '../formats/shapefile_release.ts';
import type { ShapefileSource } from '../formats/shapefile_release.ts';
import { bindDrops } from './drops.ts';
import { CADASTRE_FIELD_MAPS, type CadastreFieldMap } from './field_maps.ts';

type ParcelRow = Row<typeof parcelRecord>;
type SpillRow = Row<typeof parcelSpillRecord>;

/** Width by which a bounding box is enlarged before its cells are listed, degrees (about one metre). */
const SPILL_MARGIN_DEG = 1e-5;

const STATES = ['ACT', 'NSW', 'NT', 'OT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'] as const;
const aliases = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** `field_map` is the name of a map, or one written in the configuration; left out: the map of the state. */
const optionsSchema = z.strictObject({
  state: z.enum(STATES),
  field_map: z.union([z.string(), z.strictObject({ parcel_id: aliases, lot_plan: aliases.nullish() })]).optional(),
});

/** What one part needs besides the file. */
interface CadastrePart {
  readonly shapefile: ShapefileSource;
  readonly state: string;
  readonly map: CadastreFieldMap;
}

/** State cadastres from shapefiles, each through the field map of its state. */
export const cadastreAdapter: SourceAdapter = {
  name: 'cadastre',
  version: 1,
  title: 'Cadastral parcels',
  publisher: 'State and territory land administration agencies',
  licence: 'CC BY 4.0 (NSW, VIC, QLD, ACT), CC BY 3.0 AU (TAS); record what ships with the delivery',
  attribution: 'Contains cadastral data of the state and territory governments of Australia.',
  tables: [parcelRecord, parcelSpillRecord],
  async discover(dataset) {
    const { state, map } = readOptions(dataset);
    const { found, crs, notes, label } = await findShapefiles(dataset);
    for (const { header, source } of found) {
      bindColumns(map, header.dbf.fields, source.file);
      const { absent } = bindDrops(map.drops, header.dbf.fields);
      if (absent.length > 0) {
        notes.push(`${source.file}: no column ${absent.join(', ')}: nothing is dropped for that.`);
      }
      if (map.lot_plan !== null && lotPlanFields(map, header.dbf.fields) === null) {
        notes.push(`${source.file}: no column for the lot on plan; addresses join its parcels by position only.`);
      }
    }
    return {
      release: { dataset, id: dataset.release ?? label, crs, notes },
      parts: found.map((each) => ({ id: each.id, source: { shapefile: each.source, state, map } satisfies CadastrePart })),
    };
  },
  read,
};

function readOptions(dataset: DatasetConfig): { state: string; map: CadastreFieldMap } {
  const known = z
    .union([z.enum(Object.keys(CADASTRE_FIELD_MAPS) as [string, ...string[]]), z.object({})])
    .optional();
  const { state, field_map } = parseOptions(optionsSchema.extend({ field_map: optionsSchema.shape.field_map.pipe(known as never) }), dataset) as z.infer<typeof optionsSchema>;
  if (field_map !== undefined && typeof field_map !== 'string') {
    return { state, map: { parcel_id: [field_map.parcel_id].flat(), lot_plan: null, drops: [] } };
  }
  return { state, map: CADASTRE_FIELD_MAPS[field_map ?? state.toLowerCase()]! };
}
