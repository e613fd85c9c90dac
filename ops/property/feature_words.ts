import type { AvmExplanation } from '../../pipelines/explain/explain_avm.ts';
import { ZONE_CATEGORIES } from '../../schema/records/zone.ts';

/** A home as the models see it. */
export type ExplainedHome = AvmExplanation['home'];

const rounded = (value: number): string => Math.round(value).toLocaleString('en-AU');
const count = (one: string, several: string) => (value: number) =>
  `${rounded(value)} ${value === 1 ? one : several}`;
const metres = (value: number): string => `${rounded(value)} m`;

/** Describes a value if it is known, else says that it is not. */
const describeKnown =
  (column: keyof ExplainedHome, name: string, describe: (value: number) => string) =>
  (home: ExplainedHome): string =>
    home[column] === null ? `${name} not known` : describe(home[column] as number);
const near = (column: keyof ExplainedHome, name: string) => (home: ExplainedHome) =>
  home[column] === null ? `No ${name} near` : `${name} at ${metres(home[column] as number)}`;
const hazard = (column: keyof ExplainedHome, name: string) => (home: ExplainedHome) =>
  home[column] === null
    ? `${name} not assessed`
    : home[column] === 1
      ? `${name} on the property`
      : `No ${name.toLowerCase()} on the property`;
const same = (says: string) => () => says;

const PLACE = same('Where it lies');
const ALIKE = same('The most alike sales');
const SUBURB = same('Sales in the suburb');
const AROUND = same('Sales around it');
const OWN = same('What it sold for before');

/** Describes a home by each feature of the models. Features with equal descriptions are shown as one. */
const WORDS: Readonly<Record<string, (home: ExplainedHome) => string>> = {
  dwelling_type: ({ dwelling_type }) =>
    dwelling_type === null ? 'Dwelling type not known' : `Dwelling type ${dwelling_type}`,
  bedrooms: describeKnown('bedrooms', 'Bedrooms', count('bedroom', 'bedrooms')),
  bathrooms: describeKnown('bathrooms', 'Bathrooms', count('bathroom', 'bathrooms')),
  parking: describeKnown('parking', 'Car spaces', count('car space', 'car spaces')),
  ln_land: describeKnown('land_area_sqm', 'Land area', (value) => `Land ${rounded(value)} m²`),
  ln_floor: describeKnown('floor_area_sqm', 'Floor area', (value) => `Floor ${rounded(value)} m²`),
  year_built: describeKnown('year_built', 'Year of construction', (value) => `Built in ${value}`),
  place: PLACE,
  place_x: PLACE,
  place_y: PLACE,
  place_x_plus_y: PLACE,
  place_x_minus_y: PLACE,
  centre_distance: PLACE,
  suburb: SUBURB,
  hedonic_value: same('What homes of its type, size and place are worth'),
  area_median: SUBURB,
  area_count: SUBURB,
  area_spread: SUBURB,
  area_residual: SUBURB,
  nearest_5: AROUND,
  nearest_15: AROUND,
  residual_10: AROUND,
  residual_40: AROUND,
  residual_kernel: AROUND,
  kernel_weight: AROUND,
  sales_1km_12m: AROUND,
  comparables: ALIKE,
  comparables_residual: ALIKE,
  comparables_residual_wide: ALIKE,
  comparables_residual_median: ALIKE,
  comparables_weight: ALIKE,
  comparables_spread: ALIKE,
  comparables_best: ALIKE,
  own_previous: OWN,
  own_previous_years: OWN,
  'school.nearest_m': near('school_m', 'School'),
  'transport.train_m': near('train_m', 'Train station'),
  'transport.tram_m': near('tram_m', 'Tram stop'),
  'place.beach_m': near('beach_m', 'Beach'),
  'place.park_m': near('park_m', 'Park'),
  'place.supermarket_m': near('supermarket_m', 'Supermarket'),
  'hazard.flood': hazard('flood_on', 'Flood'),
  'hazard.bushfire': hazard('bushfire_on', 'Bushfire'),
  'hazard.heritage': hazard('heritage_on', 'Heritage'),
  'hazard.power_line_m': near('power_line_m', 'High-voltage line'),
  'zoning.category': ({ zone }) =>
    zone === null ? 'Zone not known' : `Zone ${(ZONE_CATEGORIES[zone] ?? 'other').replaceAll('_', ' ')}`,
  'overlay.count': describeKnown('overlays', 'Overlays', count('planning overlay', 'planning overlays')),
  'parcel.addresses': describeKnown(
    'parcel_addresses',
    'Parcel',
    count('address on its parcel', 'addresses on its parcel'),
  ),
  'shape.compactness': same('Shape of the parcel'),
  'shape.width_m': describeKnown('width_m', 'Width of the parcel', (value) => `Parcel ${metres(value)} wide`),
  'shape.frontage_m': describeKnown('frontage_m', 'Frontage', (value) => `Frontage ${metres(value)}`),
  'strata.addresses': ({ strata_addresses }) =>
    strata_addresses === null ? 'Not in a strata scheme' : `Scheme of ${rounded(strata_addresses)} addresses`,
  level_correction: same('Correction by the latest known errors'),
};

/** Describes a home by one feature of the models. */
export const describeFeature = (feature: string, home: ExplainedHome): string =>
  WORDS[feature]?.(home) ?? feature.replaceAll(/[._]/g, ' ');
