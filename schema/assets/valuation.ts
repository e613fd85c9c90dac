import { col, nullable, table } from '../table.ts';

export const VALUATION_KINDS = ['sale', 'rent'] as const;

/** Output of the stage valuation_day. */
export const valuationDayAsset = table({
  schema: 'asset',
  name: 'valuation_day',
  doc: 'One row: the day as of which everything is valued, and at the end of whose month an old listing counts as gone. It moves once a month, so a night of events moves no value.',
  columns: {
    as_of: col('date', 'First day of the month of the latest market event.'),
  },
  primaryKey: ['as_of'],
});

/** A property as the models see it. */
export const home = {
  gnaf_pid: col('text', 'Property.'),
  state: col('text', 'State: the region that a model is trained for.'),
  area: nullable('text', 'Suburb: SAL name; null: not located.'),
  street: nullable('text', 'Street: a home without coordinates is placed by it; null: none.'),
  dwelling_type: nullable('text', 'Dwelling type; null: not known.'),
  lon: nullable('float8', 'Longitude, GDA2020 degrees; null: no coordinates.'),
  lat: nullable('float8', 'Latitude.'),
  bedrooms: nullable('float8', 'Bedrooms; null: not known.'),
  bathrooms: nullable('float8', 'Bathrooms; null: not known.'),
  parking: nullable('float8', 'Car spaces; null: not known.'),
  land_area_sqm: nullable('float8', 'Land area, square metres; null: not known, or it has none of its own.'),
  floor_area_sqm: nullable('float8', 'Floor area, square metres; null: not known.'),
  year_built: nullable('float8', 'Year of construction; null: not known.'),
  school_m: nullable('float8', 'Metres to the nearest mainstream school; null: none within 5 km.'),
  train_m: nullable('float8', 'Metres to the nearest railway station; null: none within 20 km.'),
  tram_m: nullable('float8', 'Metres to the nearest tram stop; null: none within 5 km.'),
  beach_m: nullable('float8', 'Metres to the nearest beach; null: none within 20 km.'),
  park_m: nullable('float8', 'Metres to the nearest green space; null: none within 5 km.'),
  supermarket_m: nullable('float8', 'Metres to the nearest supermarket; null: none within 5 km.'),
  flood_on: nullable('float8', '1: modelled flood on the property, 0: not; null: not covered.'),
  bushfire_on: nullable('float8', '1: bushfire-prone, 0: not; null: not covered.'),
  heritage_on: nullable('float8', '1: heritage on the property, 0: not; null: not covered.'),
  power_line_m: nullable('float8', 'Metres to a high-voltage line; null: none within the radius.'),
  zone: nullable('float8', 'Number of the zone category; null: no zone.'),
  overlays: col('float8', 'Planning overlays on the property.'),
  parcel_addresses: nullable('float8', 'Addresses on the parcel; null: no parcel.'),
  compactness: nullable('float8', 'Of its own parcel (asset.parcel_form); null: it has none.'),
  width_m: nullable('float8', 'The same: shorter side of the rectangle around it, metres.'),
  frontage_m: nullable('float8', 'The same: boundary that no other parcel adjoins, metres.'),
  strata_addresses: nullable(
    'float8',
    'The same of a unit on a shared parcel: the size of its scheme; null: not one.',
  ),
} as const;

/** Features of a property besides its own attributes, by the models' name; the word before the dot is their group. */
export const HOME_EXTRA = {
  'school.nearest_m': 'school_m',
  'transport.train_m': 'train_m',
  'transport.tram_m': 'tram_m',
  'place.beach_m': 'beach_m',
  'place.park_m': 'park_m',
  'place.supermarket_m': 'supermarket_m',
  'hazard.flood': 'flood_on',
  'hazard.bushfire': 'bushfire_on',
  'hazard.heritage': 'heritage_on',
  'hazard.power_line_m': 'power_line_m',
  'zoning.category': 'zone',
  'overlay.count': 'overlays',
  'parcel.addresses': 'parcel_addresses',
  'shape.compactness': 'compactness',
  'shape.width_m': 'width_m',
  'shape.frontage_m': 'frontage_m',
  'strata.addresses': 'strata_addresses',
} as const;

/** Output of the stage valuation_home. */
export const valuationHomeAsset = table({
  schema: 'asset',
  name: 'valuation_home',
  doc: 'A property as the models see it.',
  columns: { cell: col('int4', 'Grid cell of the property.'), ...home },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell', 'gnaf_pid'] }],
});

const sale = {
  model_partition: col('int4', 'Partition of the model of its state and kind (schema/model_partition.ts).'),
  kind: col('text', 'sale or rent.'),
  event_id: col('text', 'Event of property_event.'),
  date: col('date', 'Contract date, or first day of the rent listing.'),
  price: col('float8', 'Dollars; of a rent dollars per week.'),
  ...home,
} as const;

/** Output of the stage valuation_sale. */
export const valuationSaleAsset = table({
  schema: 'asset',
  name: 'valuation_sale',
  doc: 'A sale or a rent before the day of valuation, with the home as the models see it.',
  columns: {
    cell: col('int4', 'Home of the property.'),
    ...sale,
  },
  primaryKey: ['kind', 'gnaf_pid', 'event_id'],
  indexes: [{ columns: ['cell', 'gnaf_pid'] }, { columns: ['model_partition'] }],
  home: 'model_partition',
  tracked: 'gnaf_pid',
});

const { gnaf_pid, state, area, dwelling_type, lon, lat, bedrooms, bathrooms, parking } = home;
const { land_area_sqm, floor_area_sqm, year_built } = home;

/** Output of the stage recent_sale. */
export const recentSaleAsset = table({
  schema: 'asset',
  name: 'recent_sale',
  doc: 'A sale that may be a comparable at the valuation date, with the columns that comparables read and no others, so that a change of anything else recomputes no comparables.',
  columns: {
    cell: col('int4', 'Home of the property.'),
    event_id: sale.event_id,
    date: col('date', 'Contract date.'),
    price: col('float8', 'Dollars.'),
    gnaf_pid,
    state,
    area,
    dwelling_type,
    lon,
    lat,
    bedrooms,
    bathrooms,
    parking,
    land_area_sqm,
    floor_area_sqm,
    year_built,
  },
  primaryKey: ['gnaf_pid', 'event_id'],
  indexes: [{ columns: ['cell', 'gnaf_pid'] }],
  extent: ['lon', 'lat', 'lon', 'lat'],
  tracked: 'gnaf_pid',
});

const evidence = {
  ...sale,
  as_of: col('date', 'Day of valuation: the evidence has no sale from then on.'),
} as const;

/** Output of the stage model_evidence. */
export const modelEvidenceAsset = table({
  schema: 'asset',
  name: 'model_evidence',
  doc: 'The sales and rents that the models of a month are made from, as they were when the first run of the month came to them.',
  columns: evidence,
  primaryKey: ['kind', 'gnaf_pid', 'event_id'],
  partition: 'model',
  indexes: [{ columns: ['model_partition'] }],
});

/** Loaded from a file by `refresh --evidence` (pipelines/run/given_evidence.ts), for one run. */
export const givenEvidenceAsset = table({
  schema: 'asset',
  name: 'given_evidence',
  doc: 'Evidence of another database, from which models are made instead of what is loaded.',
  columns: evidence,
  primaryKey: ['kind', 'gnaf_pid', 'event_id'],
  partition: 'model',
});

const model = {
  kind: col('text', 'sale or rent.'),
  region: col('text', 'State abbreviation, or AU for the whole country.'),
  model_id: col('text', 'Digest of everything that it was made from.'),
  as_of: col('date', 'Day of valuation of the model: earlier than the newest where it was kept.'),
  outcome: col(
    'text',
    'promoted, kept, reduced or not_judged: what became of the newest model at its gates.',
  ),
  challenger_id: col('text', 'The newest model; model_id where it serves.'),
  figures: nullable('jsonb', 'What the newest model showed on sales held back from it; null: not judged.'),
  failures: col('jsonb', 'Gates that the newest model failed, one sentence each.'),
  trained_sales: col('int4', 'Sales trained on.'),
  left_out: col('jsonb', 'Sales given that are no evidence of it, each as gnaf_pid, event_id and reason.'),
  gain: col('jsonb', 'Gain of the splits by feature.'),
  artefact: col('bytea', 'The model; transforms/avm/artefact.ts reads it.'),
  evidence: col('bytea', 'The sales that it values by; transforms/avm/day_evidence.ts reads them.'),
} as const;

/** Output of the stage avm_model. */
export const avmModelAsset = table({
  schema: 'asset',
  name: 'avm_model',
  doc: 'A trained valuation model of one state: trees, index, calibration and weights in one artefact.',
  columns: {
    model_partition: col('int4', 'Partition of the model (schema/model_partition.ts).'),
    ...model,
  },
  primaryKey: ['kind', 'region'],
  partition: 'model',
});

/** Output of the stage avm_pooled_model. */
export const avmPooledModelAsset = table({
  schema: 'asset',
  name: 'avm_pooled_model',
  doc: 'The valuation model of the whole country, for states whose own sales do not carry one.',
  columns: {
    model_partition: col('int4', 'Partition of the model (schema/model_partition.ts).'),
    ...model,
  },
  primaryKey: ['kind', 'region'],
  partition: 'whole',
});

/** Output of the stage avm_choice. */
export const avmChoiceAsset = table({
  schema: 'asset',
  name: 'avm_choice',
  doc: 'The model that values the homes of a state: its own, else that of the whole country. What is valued by it depends on these rows alone.',
  columns: {
    model_partition: col('int4', 'Partition of state and kind (schema/model_partition.ts).'),
    kind: col('text', 'sale or rent.'),
    state: col('text', 'State abbreviation of the homes.'),
    region: col('text', 'Region of the model: the state, or AU for the whole country.'),
    model_id: col('text', 'Id of the model.'),
    artefact: model.artefact,
    evidence: model.evidence,
  },
  primaryKey: ['kind', 'state'],
  home: 'model_partition',
});
