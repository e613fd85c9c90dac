import type { Result } from './spatial_baseline_result.ts';
import { REGIONS } from './spatial_baseline_tables.ts';

/** The parcel that holds an address, of several the smallest, else the nearest within 5 m. */
export const ADDRESS_PARCEL: Result = {
  table: 'address_parcel',
  columns: 'gnaf_pid text, parcel_id int, distance_m float8, half int',
  key: 'gnaf_pid',
  queries: [
    (
      halves,
    ) => `select a.gnaf_pid, coalesce(i.id, n.id), case when i.id is null then n.d else 0 end, coalesce(i.id, n.id, 0) % 2 from address a
      left join lateral (select p.id from parcel_shape p where st_intersects(p.geom, a.geom) order by p.area_sqm, p.id limit 1) i on true
      left join lateral (select p.id, p.geom <-> a.geom d from parcel_shape p where i.id is null and st_dwithin(p.geom, a.geom, 5)
        order by p.geom <-> a.geom, p.id limit 1) n on true
      where a.half in (${halves})`,
  ],
  after: ['create index on address_parcel (parcel_id)', 'analyze address_parcel'],
};

const PROPERTY: Result = {
  table: 'property',
  columns: `gnaf_pid text, address text, building_name text, flat_type text, flat_number text, level_number text, number_first text,
    number_last text, lot_number text, street text, locality text, postcode text, lon float8, lat float8, geocode_type text,
    confidence int2, primary_secondary text, parcel_id int, parcel_distance_m float8, parcel_addresses int, land_area_sqm int`,
  key: 'gnaf_pid',
  queries: [
    // addresses of a parcel are in the same half
    (
      halves,
    ) => `select gnaf_pid, address, building_name, flat_type, flat_number, level_number, number_first, number_last, lot_number,
        street, locality, postcode, lon, lat, geocode_type, confidence, primary_secondary, parcel_id, distance_m,
        case when parcel_id is not null then units + others end,
        case when is_unit and units + others > 1 or not is_unit and others > 1 then null else round(area_sqm) end
      from (select *, count(*) filter (where is_unit) over same units, count(*) filter (where not is_unit) over same others
        from (select a.*, f.parcel_id, f.distance_m, p.area_sqm,
            a.flat_type is not null or a.flat_number is not null or a.primary_secondary = 'S' and a.primary_secondary is not null is_unit
          from address a join address_parcel f using (gnaf_pid) left join parcel_shape p on p.id = f.parcel_id
          where f.half in (${halves})) one window same as (partition by parcel_id)) counted`,
  ],
};

const at = (level: string, halves: string, more = ''): string =>
  `(select a.gnaf_pid, r.code${more} from ${level} r join address a on st_intersects(r.geom, a.geom) where a.half in (${halves})) ${level}`;

const PROFILE: Result = {
  table: 'property_profile',
  columns: `gnaf_pid text, mesh_block text, sa1 text, sa2 text, sa2_name text, sa3 text, sa3_name text, sa4 text, sa4_name text,
    gccsa text, gccsa_name text, lga text, lga_name text, sal_code text, suburb text, poa text, postcode text, agrees bool`,
  key: 'gnaf_pid',
  queries: [
    (
      halves,
    ) => `select a.gnaf_pid, m.code, m.sa1, m.sa2, m.sa2_name, m.sa3, m.sa3_name, m.sa4, m.sa4_name, m.gccsa, m.gccsa_name,
        lga.code, lga.name, sal.code, sal.name, poa.code, a.postcode, m.code = mesh_block.code
      from address a left join ${at('mesh_block', halves)} using (gnaf_pid)
      left join mesh_block m on m.code = coalesce(a.mesh_block, mesh_block.code)
      left join ${at('sal', halves, ', r.name')} using (gnaf_pid) left join ${at('lga', halves, ', r.name')} using (gnaf_pid)
      left join ${at('poa', halves)} using (gnaf_pid)
      where a.half in (${halves})`,
  ],
};

const shares = (theme: string): Result => ({
  table: `parcel_${theme}`,
  columns: 'parcel_id int, id int, overlap_sqm float8, share float8',
  key: 'parcel_id, id',
  queries: [
    (halves) => `select * from (select s.id, z.id, o.sqm, o.sqm / s.sqm share
        from (select *, st_area(geom) sqm from parcel_shape where half in (${halves}) offset 0) s
        join ${theme} z on st_intersects(z.geom, s.geom)
        cross join lateral (select st_area(st_intersection(z.geom, s.geom)) sqm offset 0) o) found
      where sqm >= 1 and share >= 0.005`,
  ],
  after: [`analyze parcel_${theme}`],
});

const PLANNING: readonly Result[] = [
  shares('zone'),
  shares('overlay'),
  {
    table: 'property_zoning',
    columns: 'gnaf_pid text, zone_id int, code text, name text, method text, share float8',
    key: 'gnaf_pid',
    queries: [
      (
        halves,
      ) => `select a.gnaf_pid, z.id, z.code, z.name, case when h.id is null then 'largest_share' else 'point' end, c.share
        from (select a.gnaf_pid, a.geom, f.parcel_id from address a join address_parcel f using (gnaf_pid) where a.half in (${halves})) a
        left join lateral (select z.id from zone z left join parcel_zone c on c.parcel_id = a.parcel_id and c.id = z.id
          where st_intersects(z.geom, a.geom) order by c.share desc nulls last, z.id limit 1) h on true
        left join lateral (select c.id from parcel_zone c where h.id is null and c.parcel_id = a.parcel_id and c.share >= 0.5
          order by c.share desc, c.id limit 1) l on true
        join zone z on z.id = coalesce(h.id, l.id) left join parcel_zone c on c.parcel_id = a.parcel_id and c.id = z.id`,
    ],
  },
  {
    table: 'property_overlay',
    columns: 'gnaf_pid text, overlay_id int, code text, value text, overlap_sqm float8, share float8',
    key: 'gnaf_pid, overlay_id',
    queries: [
      (halves) => `select a.gnaf_pid, o.id, o.code, concat_ws(' ', o.code, o.name), c.overlap_sqm, c.share
        from address_parcel a join parcel_overlay c using (parcel_id) join overlay o on o.id = c.id where a.half in (${halves})`,
    ],
  },
];

const REGION_TABLES: readonly Result[] = [
  {
    table: 'region_shape',
    columns: 'level text, code text, geom geometry',
    key: 'level, code',
    queries: [
      (halves) =>
        [...REGIONS, 'sa4']
          .filter((_, i) => halves.includes(String(i % 2)))
          .map(
            (level) =>
              `select '${level.toUpperCase()}', ${level}_code${level === 'lga' ? '22' : '21'}, st_simplify(geom, 0.0002)
             from raw_${level} where geom is not null`,
          )
          .join(' union all '),
    ],
  },
  {
    table: 'region_neighbour',
    columns: 'level text, code text, neighbour_code text, shared_m float8',
    key: 'level, code, neighbour_code',
    queries: [
      (halves) =>
        `select level, code, other, shared_m from (${REGIONS.filter((_, i) => halves.includes(String(i % 2)))
          .map(
            (level) =>
              `select '${level.toUpperCase()}' as level, a.code, b.code other, st_length(st_intersection(a.geom, b.geom)) shared_m
           from ${level} a join ${level} b on st_intersects(a.geom, b.geom) and a.code <> b.code`,
          )
          .join(' union all ')}) pairs where shared_m > 5`,
    ],
  },
];

/** Results that take few seconds: computed of all rows, in an order in which each finds what it needs. */
export const WHOLE_RESULTS: readonly Result[] = [
  ADDRESS_PARCEL,
  PROPERTY,
  PROFILE,
  ...PLANNING,
  ...REGION_TABLES,
];
