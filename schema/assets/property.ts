import { extent } from '../records/piece.ts';
import { col, nullable, table } from '../table.ts';

/** Made by the stage address_parcel. */
export const addressParcelAsset = table({
  schema: 'asset',
  name: 'address_parcel',
  doc: 'The parcel of each live principal address, with what the stages that work by parcel need of the address.',
  columns: {
    cell: col('int4', 'Grid cell of the address.'),
    gnaf_pid: col('text', 'Address.'),
    state: col('text', 'State abbreviation.'),
    sa2: nullable('text', 'SA2 code; null: not located.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
    sal_name: nullable('text', 'SAL name, verbatim; null: not located.'),
    lon: nullable(
      'float8',
      'Longitude of a point on the property itself, GDA2020 degrees; null: it has none.',
    ),
    lat: nullable('float8', 'Latitude of it; null: it has none.'),
    parcel_id: nullable('text', 'Parcel; null: method none.'),
    parcel_cell: nullable(
      'int4',
      'Home cell of the parcel where it is not that of the address; null: it is, or there is no parcel.',
    ),
    parcel_area_sqm: nullable('float8', 'Geodesic area of the parcel; null: no parcel.'),
    method: col('text', 'legal_id, point_in_parcel, nearest or none.'),
    distance_m: nullable(
      'float8',
      'Metres from the point to the parcel, 0 inside; null: no parcel or no point.',
    ),
    is_unit: col('bool', 'The address names a flat, or is a G-NAF secondary.'),
  },
  primaryKey: ['gnaf_pid'],
  indexes: [
    { columns: ['cell'] },
    { columns: ['cell', 'parcel_cell'], where: 'parcel_cell IS NOT NULL' },
    { columns: ['parcel_cell', 'parcel_id'], where: 'parcel_cell IS NOT NULL' },
  ],
  home: 'parcel_cell',
});

/** Made by the stage parcel_neighbour. */
export const parcelNeighbourAsset = table({
  schema: 'asset',
  name: 'parcel_neighbour',
  doc: 'Ordered pairs of parcels whose boundaries touch within the tolerance, of each parcel that an address without coordinates is on.',
  columns: {
    cell: col('int4', 'Home cell of the parcel.'),
    parcel_id: col('text', 'Parcel.'),
    neighbour_parcel_id: col('text', 'Parcel that adjoins it.'),
    shared_m: col('float8', 'Length of the shared boundary, metres.'),
    is_corner: col(
      'bool',
      'They meet at a corner only: the shared length is at most the least that makes neighbours.',
    ),
  },
  primaryKey: ['parcel_id', 'neighbour_parcel_id'],
  indexes: [{ columns: ['cell', 'parcel_id'] }],
});

/** Made by the stage parcel_form. */
export const parcelFormAsset = table({
  schema: 'asset',
  name: 'parcel_form',
  doc: 'The form of a parcel, as the valuation sees it.',
  columns: {
    cell: col('int4', 'Home cell of the parcel.'),
    parcel_id: col('text', 'Parcel.'),
    compactness: col(
      'float8',
      '4π · area / perimeter²: 1 of a circle, 0.785 of a square, little of a battle-axe.',
    ),
    width_m: col('float8', 'Shorter side of the smallest rectangle around it, metres.'),
    frontage_m: col(
      'float8',
      'Boundary that no other parcel adjoins, metres: to roads, water and reserves; long on corners.',
    ),
  },
  primaryKey: ['parcel_id'],
  indexes: [{ columns: ['cell', 'parcel_id'] }],
});

/** Made by the stage address_region. */
export const addressRegionAsset = table({
  schema: 'asset',
  name: 'address_region',
  doc: 'The ABS regions of each live principal address, with what most stages need of the address.',
  columns: {
    cell: col('int4', 'Grid cell of the address.'),
    gnaf_pid: col('text', 'Address.'),
    state: col('text', 'State abbreviation.'),
    postcode: nullable('text', 'Postcode; null: the address file has none.'),
    lon: nullable('float8', 'Longitude of the geocode, GDA2020 degrees; null: without coordinates.'),
    lat: nullable('float8', 'Latitude of it; null: without coordinates.'),
    is_parcel_position: col('bool', 'The geocode lies on the property itself, not on a street or locality.'),
    lot_plan: nullable('text', 'Normalised legal parcel id; null: the address file has none.'),
    is_unit: col('bool', 'The address names a flat, or is a G-NAF secondary.'),
    mesh_block: nullable('text', 'Mesh block; null: neither the address file nor the boundaries have one.'),
    sa1: nullable('text', 'SA1 code; null: not located.'),
    sa2: nullable('text', 'SA2 code; null: not located.'),
    sa2_name: nullable('text', 'SA2 name.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
    sa3_name: nullable('text', 'SA3 name.'),
    sa4: nullable('text', 'SA4 code; null: not located.'),
    sa4_name: nullable('text', 'SA4 name.'),
    gccsa: nullable('text', 'GCCSA code; null: not located.'),
    gccsa_name: nullable('text', 'GCCSA name.'),
    sal: nullable('text', 'SAL code; null: not located.'),
    sal_name: nullable('text', 'SAL name, verbatim.'),
    lga: nullable('text', 'LGA code; null: not located.'),
    lga_name: nullable('text', 'LGA name.'),
    poa: nullable('text', 'ABS postal area; null: not located.'),
    edition: nullable('int2', 'ASGS edition of the chain; null: not located.'),
    method: col('text', 'mesh_block: chain of the address file’s mesh block; point: point in polygon; none.'),
    agrees: nullable(
      'bool',
      'The mesh block’s SA1 (or finest common level) is the one the point lies in; null: only one way was possible.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  indexes: [{ columns: ['cell'] }],
});

/** Made by the stage parcel_planning. */
export const parcelPlanningAsset = table({
  schema: 'asset',
  name: 'parcel_planning',
  doc: 'A planning zone or overlay that covers a part of a parcel that an address without coordinates is on.',
  columns: {
    cell: col('int4', 'Home cell of the parcel.'),
    parcel_id: col('text', 'Parcel.'),
    theme: col('text', 'zone or overlay.'),
    feature_id: col('text', 'zone_id or overlay_id.'),
    layer: nullable('text', 'What an overlay controls; null on zones.'),
    code: nullable('text', 'Published code; null: none.'),
    value: nullable('text', 'Name of the zone, or value of the overlay; null: the zone has no name.'),
    category: nullable('text', 'Normalised category of a zone; null: not in the list, and on overlays.'),
    prevails: col('bool', 'True: a zone that counts before those that do not prevail; false on overlays.'),
    overlap_sqm: col('float8', 'Area of the parcel covered, square metres.'),
    share: col('float8', 'The same as a fraction of the parcel.'),
  },
  primaryKey: ['parcel_id', 'theme', 'feature_id'],
  indexes: [{ columns: ['cell', 'parcel_id'] }],
});

/** Made by the stage parcel_hazard. */
export const parcelHazardAsset = table({
  schema: 'asset',
  name: 'parcel_hazard',
  doc: 'A hazard layer within the search radius of a parcel that an address without coordinates is on.',
  columns: {
    cell: col('int4', 'Home cell of the parcel.'),
    parcel_id: col('text', 'Parcel.'),
    layer: col('text', 'Hazard layer.'),
    is_on: col(
      'bool',
      'The hazard covers more of the parcel than a sliver, crosses it, or is a point in it.',
    ),
    distance_m: col('float8', 'Metres to the nearest feature, 0 where they meet.'),
    features: col('int4', 'Source features within the radius.'),
    share: col('float8', 'Share of the parcel that the widest-covering feature covers.'),
    feature_id: col('text', 'The most severe feature on the parcel, else the nearest.'),
    name: col('text', 'Its class.'),
    code: nullable('text', 'Its published code; null: none.'),
    severity: nullable('int2', 'Its rank; null: the class has none.'),
    event_date: nullable('date', 'Its date; null: modelled or not known.'),
  },
  primaryKey: ['parcel_id', 'layer'],
  indexes: [{ columns: ['cell', 'parcel_id'] }],
});

/** Made by the stage public_housing_area. */
export const publicHousingPieceAsset = table({
  schema: 'asset',
  name: 'public_housing_piece',
  doc: 'The part in one grid cell of an SA1 whose share of public housing reaches the threshold.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    sa1: col('text', 'SA1 code.'),
    share: col('float8', 'Share of public housing, a fraction of dwellings.'),
    ...extent,
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees, clipped to the cell widened by a margin.'),
  },
  primaryKey: ['cell', 'sa1'],
});
