import type { NamedArea } from '../../../schema/errors.ts';
import { type Bbox, inAustralia } from '../../../schema/grid.ts';
import { isRecord } from '../../../schema/json_value.ts';
import { addressArea } from '../../fields/named_area.ts';
import { tidyText, tooLong } from '../../fields/tidy_text.ts';
import type { Problem } from '../../formats/feature.ts';
import type { ParquetRow } from '../../formats/table/parquet_group.ts';
import { shapeOf } from '../../formats/vector/feature_shape.ts';
import { geometryOfWkb } from '../../formats/vector/geopackage_blob.ts';
import type { Place } from '../place_rows.ts';
import { type OvertureKinds, OvertureRules } from './categories.ts';
import type { OvertureOptions } from './options.ts';

/** Columns that are read; a release may lack some, which belong to older or newer releases. */
export const OVERTURE_COLUMNS = [
  'id',
  'geometry',
  'names',
  'categories',
  'basic_category',
  'taxonomy',
  'confidence',
  'operating_status',
  'addresses',
] as const;

/** Outcome of a row: a place, a drop or a reject. */
export type OvertureFate =
  | { readonly place: Place }
  | { readonly drop: string }
  | { readonly reject: Problem };

/** Returns the first address of a row; empty: none. */
const addressOf = (addresses: unknown): Record<string, unknown> =>
  Array.isArray(addresses) && isRecord(addresses[0]) ? addresses[0] : {};

/** Returns the suburb or postcode that a row names; undefined: neither. */
function areaOf({ addresses }: ParquetRow): NamedArea | undefined {
  const { region, postcode, locality } = addressOf(addresses);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return addressArea({
    state: text(region).replace(/^AU-/, ''),
    postcode: text(postcode),
    suburb: text(locality),
  });
}

/** Turns rows of an Overture release into places. Memory: the ids of the places. */
export class OverturePlaces {
  readonly #options: OvertureOptions;
  readonly #rules: OvertureRules;
  readonly #seenIds = new Set<string>();

  constructor(options: OvertureOptions) {
    this.#options = options;
    this.#rules = new OvertureRules(options.categories);
  }

  fateOf(row: ParquetRow, source_no: number): OvertureFate {
    const category = this.#rules.categoryOf(row as OvertureKinds);
    if (category === null) return { drop: 'not_a_place' };
    const dropped = this.#dropped(row);
    if (dropped !== null) return dropped;
    const id = typeof row.id === 'string' ? tidyText(row.id) : null;
    const at = pointOf(row.geometry);
    const extent: Bbox | undefined = 'code' in at ? undefined : [...at.point, ...at.point];
    const area = areaOf(row);
    const reject = (code: string, message: string): OvertureFate => ({
      reject: { code, message, extent, area },
    });
    if (id === null) return reject('missing_key', 'the place has no id');
    const primaryName = isRecord(row.names) ? row.names.primary : null;
    const name = typeof primaryName === 'string' ? tidyText(primaryName) : null;
    const long = tooLong({ identifier: id, name });
    if (long !== null) return reject(long.code, long.message);
    if ('code' in at) return { reject: { ...at, area } };
    const place_id = `overture:${id}`;
    if (this.#seenIds.has(place_id))
      return reject('duplicate_key', `${place_id} is repeated; the first one is kept`);
    this.#seenIds.add(place_id);
    return { place: { source_no, place_id, category, name, at: at.point, is_only: true } };
  }

  #dropped({ confidence, operating_status, addresses }: ParquetRow): OvertureFate | null {
    if (operating_status === 'permanently_closed') return { drop: 'closed' };
    if (typeof confidence === 'number' && confidence < this.#options.min_confidence)
      return { drop: 'low_confidence' };
    const { country, region } = addressOf(addresses);
    if (typeof country === 'string' && country !== 'AU') return { drop: 'other_region' };
    const { regions } = this.#options;
    if (regions === null) return null;
    const isWanted = typeof region === 'string' && regions.includes(region.replace(/^AU-/, ''));
    return isWanted ? null : { drop: 'other_region' };
  }
}

function pointOf(geometry: unknown): { point: [number, number] } | Problem {
  if (geometry === null || geometry === undefined)
    return { code: 'no_geometry', message: 'the geometry is null' };
  if (!(geometry instanceof Uint8Array)) return { code: 'bad_shape', message: 'the geometry is no WKB' };
  const raw = geometryOfWkb(geometry);
  if (raw === null) return { code: 'no_geometry', message: 'the geometry is empty' };
  if ('code' in raw) return raw;
  if (raw.kind !== 'point' || raw.coords.length !== 2)
    return { code: 'wrong_geometry', message: `the geometry is a ${raw.kind}, one point is needed` };
  const [lon, lat] = [raw.coords[0]!, raw.coords[1]!];
  if (inAustralia(lon, lat)) return { point: [lon, lat] };
  const shape = shapeOf('point', raw.coords, []);
  return shape.kind === 'reject' ? shape.reject : { code: 'outside_australia', message: `${lon}, ${lat}` };
}
