import { REGION_ZOOM } from '../../../transforms/geo/region_zoom.ts';

/** How the rows of a table become vector tiles. */
export interface TiledTable {
  /** Zooms with tiles. At the last one shapes are not simplified; map viewers enlarge it. */
  min_zoom: number;
  max_zoom: number;
  /** Attributes of a feature besides its key. Other columns are in the other formats and can be joined by key. */
  says: readonly string[];
  /** Minimum zoom at which a row is drawn, if rows differ. */
  from?: (row: Readonly<Record<string, unknown>>) => number;
}

/** Points of properties: many share a spot, so the last zoom is high. */
const POINTS = { min_zoom: 13, max_zoom: 16 };
const SURROUNDINGS = { min_zoom: 8, max_zoom: 14 };

/** Every table whose rows have a location (a test checks this). */
export const TILED_TABLES: Readonly<Record<string, TiledTable>> = {
  property: { ...POINTS, says: ['address', 'dwelling_type'] },
  property_finder: { ...POINTS, says: ['address', 'dwelling_type', 'beds', 'price', 'default_score'] },
  sale: { ...POINTS, says: ['address', 'date', 'price', 'dwelling_type'] },
  listing: { ...POINTS, says: ['address', 'type', 'date', 'price', 'dwelling_type'] },
  match_review: { ...POINTS, says: ['event_type', 'event_date', 'address', 'status'] },
  parcel_shape: { min_zoom: 14, max_zoom: 15, says: ['state'] },
  school: { ...SURROUNDINGS, says: ['name', 'level', 'sector'] },
  stop: { ...SURROUNDINGS, says: ['label'] },
  place: { ...SURROUNDINGS, says: ['name'] },
  hazard: { ...SURROUNDINGS, says: ['name', 'code', 'severity', 'is_assessed'] },
  region_shape: {
    min_zoom: 0,
    max_zoom: 12,
    says: ['name', 'state'],
    from: ({ level }) => REGION_ZOOM[level as keyof typeof REGION_ZOOM] ?? 0,
  },
};
