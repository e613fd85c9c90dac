import { col, nullable, table } from '../table.ts';
import { extent, provenance } from './piece.ts';

/** Hazard layers of the specification's `risks/all`, in order of listing. */
export const HAZARD_LAYERS = [
  'bushfire',
  'flood',
  'historical_flood',
  'heritage',
  'landslide',
  'erosion',
  'environment',
  'hv_power_line',
  'mobile_black_spot',
  'public_housing',
] as const;
export type HazardLayer = (typeof HAZARD_LAYERS)[number];

/** Texts and price of a hazard layer. */
interface Hazard {
  /** Title before the class of a risk. */
  title: string;
  /** Name of a feature whose field map has no label. */
  feature: string;
  /** Price of its risk in cents. */
  cents: number;
  /** Whether its shapes can be requested with the risk. */
  has_shapes: boolean;
}

export const HAZARDS: Readonly<Record<HazardLayer, Hazard>> = {
  bushfire: { title: 'Bushfire', feature: 'Bushfire prone area', cents: 15, has_shapes: true },
  flood: { title: 'Flood', feature: 'Flood area', cents: 10, has_shapes: true },
  historical_flood: {
    title: 'Historical flood',
    feature: 'Recorded flood extent',
    cents: 3,
    has_shapes: false,
  },
  heritage: { title: 'Heritage', feature: 'Heritage place or area', cents: 3, has_shapes: true },
  landslide: { title: 'Landslide', feature: 'Landslide area', cents: 3, has_shapes: true },
  erosion: { title: 'Erosion', feature: 'Erosion prone area', cents: 3, has_shapes: true },
  environment: { title: 'Environment', feature: 'Environmental constraint', cents: 3, has_shapes: false },
  hv_power_line: {
    title: 'High-voltage power line',
    feature: 'Transmission line',
    cents: 2,
    has_shapes: false,
  },
  mobile_black_spot: {
    title: 'Mobile black spot',
    feature: 'Reported mobile black spot',
    cents: 2,
    has_shapes: false,
  },
  public_housing: { title: 'Public housing', feature: 'Public housing', cents: 4, has_shapes: false },
};

/** Returns the layer as written in paths: `hv-power-line`. */
export const hazardPath = (layer: HazardLayer): string => layer.replaceAll('_', '-');

/** Possible shapes of a hazard: an area, a line such as a power line, a point such as a black spot. */
const HAZARD_SHAPES = ['polygon', 'line', 'point'] as const;
export type HazardShape = (typeof HAZARD_SHAPES)[number];

/** Hazards cut into grid cells. Source: state, council and federal hazard layers through the field map of the dataset. */
export const hazardPieceRecord = table({
  schema: 'record',
  name: 'hazard_piece',
  doc: 'The part of a hazard feature in one grid cell. Features are counted by feature_id, never by piece.',
  columns: {
    ...provenance,
    cell: col('int4', 'Grid cell.'),
    layer: col('text', 'Hazard layer such as flood.'),
    feature_id: col(
      'text',
      'State (AU for national layers), layer and the publisher’s identifier, joined by colons; where there is none, or the field map is written in the configuration, with dataset, file and feature number: unique in Australia, stable between releases where the publisher’s is.',
    ),
    shape: col('text', 'polygon, line or point.'),
    hazard_class: col(
      'text',
      'Class of the hazard: the kind of listing in a register, else the name without code and schedule, for example Vegetation Category 1.',
    ),
    name: col('text', 'Name of the feature, which in most layers is its class as the publisher names it.'),
    code: nullable('text', 'Published code such as LSIO; null: the layer has no codes.'),
    severity: nullable(
      'int2',
      '1 low, 2 moderate, 3 high, 4 extreme, by the severity list of the field map; null: the class has no rank.',
    ),
    is_assessed: col(
      'bool',
      'False for precautionary classes (evidence required, outback): they say that nobody looked, not that there is a hazard.',
    ),
    event_date: nullable('date', 'Date of the recorded event; null: modelled, or the date is not known.'),
    ...extent,
    geom: col(
      'bytea',
      'WKB multipolygon, multilinestring or multipoint, GDA2020 degrees; polygons and lines are clipped to the cell widened by a margin.',
    ),
  },
  primaryKey: ['cell', 'layer', 'feature_id'],
});
