import {
  addressHomeAsset,
  cadastreHomeAsset,
  homeOfAsset,
  parcelAddressAsset,
} from '../../../schema/assets/property.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

export const parcelAddressStage = sqlStage({
  name: 'parcel_address',
  doc: 'Units and other addresses on each parcel.',
  subject: 'address',
  inputs: { address: input(addressHomeAsset, ['home', 'parcel_id', 'is_unit']) },
  output: parcelAddressAsset,
  dropped: { no_parcel: 'parcel_id IS NULL' },
  sql: `
    SELECT home AS cell, parcel_id, count(*) FILTER (WHERE is_unit)::int AS units, count(*) FILTER (WHERE NOT is_unit)::int AS others
    FROM address WHERE parcel_id IS NOT NULL GROUP BY home, parcel_id`,
});

export const cadastreHomeStage = sqlStage({
  name: 'cadastre_home',
  doc: 'The home cells with an address that has a parcel.',
  subject: 'address',
  inputs: { address: input(addressHomeAsset, ['home', 'parcel_id']) },
  output: cadastreHomeAsset,
  dropped: { no_parcel: 'parcel_id IS NULL' },
  sql: 'SELECT DISTINCT home AS cell FROM address WHERE parcel_id IS NOT NULL',
});

export const homeOfStage = sqlStage({
  name: 'home_of',
  doc: 'The home cell of each address.',
  subject: 'address',
  inputs: { address: input(addressHomeAsset, ['gnaf_pid', 'home']) },
  output: homeOfAsset,
  sql: 'SELECT home AS cell, gnaf_pid FROM address',
});
