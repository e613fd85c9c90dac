import {
  addressParcelAsset,
  addressRegionAsset,
  parcelSiteAsset,
  regionsOfAddress,
} from '../../../schema/assets/address.ts';
import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { addressRecord } from '../../../schema/records/address.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

export const parcelSiteStage = sqlStage({
  name: 'parcel_site',
  doc: 'The site of the addresses on each parcel, by point or legal id, for parcels that are the nearest of an address; null: several sites.',
  subject: 'address',
  inputs: { address: input(addressParcelAsset, ['cell', 'parcel_id', 'holder_ids', 'method', 'site']) },
  output: parcelSiteAsset,
  sql: `
    WITH on_parcel AS (
      SELECT cell, parcel_id, site FROM address WHERE method = 'legal_id'
      UNION ALL SELECT cell, unnest(holder_ids), site FROM address
    )
    SELECT cell, parcel_id, CASE WHEN count(DISTINCT site) = 1 AND bool_and(site IS NOT NULL) THEN min(site COLLATE "C") END AS site
    FROM on_parcel WHERE (cell, parcel_id) IN (SELECT cell, parcel_id FROM address WHERE method = 'nearest')
    GROUP BY cell, parcel_id`,
});

const REGIONS = Object.keys(regionsOfAddress)
  .map((name) => `region.${name}`)
  .join(', ');

export const addressHomeStage = sqlStage({
  name: 'address_home',
  doc: 'Each live principal address with its regions, parcel, home cell and fields from the address file. A nearest parcel is not used if an address with another number is on it.',
  subject: 'found',
  inputs: {
    found: input(addressParcelAsset, [
      'cell',
      'gnaf_pid',
      'site',
      'point_cell',
      'is_parcel_position',
      'parcel_id',
      'method',
      'distance_m',
      'parcel_cell',
      'area_sqm',
      'west',
      'south',
      'east',
      'north',
    ]),
    on_parcel: input(parcelSiteAsset, ['cell', 'parcel_id', 'site']),
    region: input(
      addressRegionAsset,
      Object.keys(addressRegionAsset.columns) as (keyof typeof addressRegionAsset.columns)[],
    ),
    address: input(addressRecord, [
      'gnaf_pid',
      'state',
      'label',
      'building_name',
      'flat_type',
      'flat_number',
      'level_number',
      'number_first',
      'number_last',
      'lot_number',
      'street_name',
      'street_type',
      'street_suffix',
      'locality_name',
      'confidence',
      'postcode',
      'primary_secondary',
      'geocode_type',
      'lon',
      'lat',
    ]),
  },
  output: addressHomeAsset,
  sql: `
    WITH placed AS (
      SELECT found.*, (found.method <> 'nearest' OR on_parcel.parcel_id IS NULL OR on_parcel.site = found.site) IS TRUE AS is_free
      FROM found LEFT JOIN on_parcel USING (cell, parcel_id)
    ), parcel AS (
      SELECT cell, gnaf_pid, point_cell, is_parcel_position, parcel_id, method, distance_m, parcel_cell, area_sqm, west, south, east, north
      FROM placed WHERE is_free
      UNION ALL SELECT cell, gnaf_pid, point_cell, is_parcel_position, NULL, 'none', NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM placed WHERE NOT is_free
    )
    SELECT parcel.cell, COALESCE(parcel_cell, point_cell) AS home, gnaf_pid, state, lon, lat, is_parcel_position, parcel_id,
      area_sqm AS parcel_area_sqm, parcel.method AS parcel_method, distance_m AS parcel_distance_m,
      flat_type IS NOT NULL OR flat_number IS NOT NULL OR primary_secondary IS NOT DISTINCT FROM 'S' AS is_unit,
      LEAST(lon, west) AS min_lon, LEAST(lat, south) AS min_lat, GREATEST(lon, east) AS max_lon, GREATEST(lat, north) AS max_lat,
      postcode, ${REGIONS}, label, building_name, flat_type, flat_number, level_number,
      number_first, number_last, lot_number,
      CASE WHEN street_name IS NOT NULL THEN concat_ws(' ', street_name, street_type, street_suffix) END AS street,
      locality_name AS locality, geocode_type, confidence, primary_secondary
    FROM parcel JOIN region USING (gnaf_pid) JOIN address USING (gnaf_pid)`,
});
