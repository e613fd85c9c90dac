import type { recordedFloodAsset } from '../../../schema/assets/hazard.ts';
import type { publicHousingPieceAsset } from '../../../schema/assets/property.ts';
import { type Bbox, cellBbox, expandBbox, NO_CELL } from '../../../schema/grid.ts';
import { groupBy } from '../../../schema/group_by.ts';
import { HAZARD_LAYERS, type hazardPieceRecord } from '../../../schema/records/hazard.ts';
import type { Row } from '../../../schema/table.ts';
import { localPlane, type Plane } from '../../../transforms/geo/plane.ts';
import { decodeAnyWkb } from '../../../transforms/geo/wkb.ts';
import { hazardClass } from '../../../transforms/hazards/hazard_class.ts';
import { oneOfEachEvent } from '../../../transforms/hazards/one_event.ts';
import { buildFeatureLayer, type FeatureLayer } from '../../../transforms/layers/feature_layer.ts';
import type { LayerPiece } from '../../../transforms/layers/layer_piece.ts';
import { numberFeatures } from './features.ts';

/** Columns of hazard pieces that the hazard stages read. */
export const HAZARD_COLUMNS = [
  'cell',
  'layer',
  'feature_id',
  'shape',
  'hazard_class',
  'name',
  'code',
  'severity',
  'event_date',
  'min_lon',
  'min_lat',
  'max_lon',
  'max_lat',
  'geom',
] as const;

/** Condition that excludes precautionary classes: unassessed land is neither a hazard nor clear. */
export const ASSESSED = { is_assessed: true } as const;

/** Columns of public housing pieces that the hazard stages read. */
export const HOUSING_COLUMNS = [
  'cell',
  'sa1',
  'share',
  'min_lon',
  'min_lat',
  'max_lon',
  'max_lat',
  'geom',
] as const;

type HazardPiece = Pick<Row<typeof hazardPieceRecord>, (typeof HAZARD_COLUMNS)[number]>;
/** A piece of an SA1 that counts as public housing. */
export type HousingPiece = Pick<Row<typeof publicHousingPieceAsset>, (typeof HOUSING_COLUMNS)[number]>;

/** Columns of a hazard feature that are served. */
export type HazardFeature = Pick<
  HazardPiece,
  'feature_id' | 'shape' | 'name' | 'code' | 'severity' | 'event_date'
>;

/** Columns of recorded floods that the hazard stages read. */
export const FLOOD_COLUMNS = [
  'state',
  'event_date',
  'feature_id',
  'shape',
  'name',
  'code',
  'severity',
] as const;

export type RecordedFlood = Pick<Row<typeof recordedFloodAsset>, (typeof FLOOD_COLUMNS)[number]>;

/** Returns the attributes that all pieces of a recorded flood share. */
const sharedAttributes = ({ feature_id, shape, name, code, severity, event_date }: RecordedFlood) => ({
  feature_id,
  shape,
  hazard_class: hazardClass(name),
  name,
  code,
  severity,
  event_date,
});

/** A class of a hazard layer around a partition, indexed for search. */
export interface HazardClassIndex {
  readonly layer: string;
  readonly hazard_class: string;
  readonly index: FeatureLayer;
  /** Features by number, in the order of their ids. */
  readonly features: readonly HazardFeature[];
  /** Severity by feature number; 0: the class has none. */
  readonly rank: readonly number[];
}

/** Returns the local plane around the middle of a partition's cell. Without coordinates any plane will do. */
export function planeOfCell(cell: number): Plane {
  if (cell === NO_CELL) return localPlane(134, -25);
  const [west, south, east, north] = cellBbox(cell);
  return localPlane((west + east) / 2, (south + north) / 2);
}

/** Returns public housing as pieces of a hazard layer; each area is a class of its own. */
function housingPieces(pieces: readonly HousingPiece[]): HazardPiece[] {
  return pieces.map(({ sa1, share, ...piece }) => ({
    ...piece,
    layer: 'public_housing',
    hazard_class: `SA1:${sa1}`,
    feature_id: `SA1:${sa1}`,
    shape: 'polygon',
    name: `${(share * 100).toFixed(1)} % of dwellings are public housing`,
    code: null,
    severity: null,
    event_date: null,
  }));
}

/** Expands a box to where a hazard can matter to subjects inside: 0.1 % and a metre more than the radius, against rounding. */
export const withinRadius = (subjects: Bbox, radius_m: number): Bbox =>
  expandBbox(subjects, radius_m * 1.001 + 1);

/** Indexes the pieces of a class; null: none is in the region. */
function indexOf(
  layer: string,
  hazard_class: string,
  pieces: readonly HazardPiece[],
  plane: Plane,
  region: Bbox | undefined,
): HazardClassIndex | null {
  const { features, numberOf } = numberFeatures(pieces, (piece) => piece.feature_id);
  const index = buildFeatureLayer(
    pieces.map((piece, i) => {
      const { kind, geometry } = decodeAnyWkb(piece.geom);
      return { kind, geometry, feature: numberOf[i]!, cell: piece.cell } as LayerPiece;
    }),
    plane,
    region,
  );
  if (index === null) return null;
  const rank = features.map(({ severity }) => severity ?? 0);
  return { layer, hazard_class, index, features, rank };
}

/**
 * Indexes the hazards around a partition by class: layers in the order of HAZARD_LAYERS, classes by name. Pieces outside `region` are left
 * out.
 */
export function hazardClasses(
  hazards: readonly HazardPiece[],
  housing: readonly HousingPiece[],
  floods: readonly RecordedFlood[],
  plane: Plane,
  region?: Bbox,
): HazardClassIndex[] {
  const classed = oneOfEachEvent(hazards, floods, sharedAttributes);
  const byLayer = groupBy([...classed, ...housingPieces(housing)], ({ layer }) => layer);
  const out: HazardClassIndex[] = [];
  for (const layer of HAZARD_LAYERS) {
    const byClass = groupBy(byLayer.get(layer) ?? [], (piece) => piece.hazard_class);
    for (const hazard_class of [...byClass.keys()].sort()) {
      const index = indexOf(layer, hazard_class, byClass.get(hazard_class)!, plane, region);
      if (index !== null) out.push(index);
    }
  }
  return out;
}
