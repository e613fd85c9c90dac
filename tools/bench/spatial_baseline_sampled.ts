import type { Result } from './spatial_baseline_result.ts';
import { isArea } from './spatial_baseline_tables.ts';
import type { HazardFile } from './spatial_hazards.ts';

/** Each pair once, from the parcel of the lower id; the tables of properties have both directions. */
const NEIGHBOURS: readonly Result[] = [
  {
    table: 'parcel_neighbour',
    columns: 'parcel_id int, neighbour_parcel_id int, shared_m float8, half int',
    key: 'parcel_id, neighbour_parcel_id',
    queries: [
      (
        halves,
      ) => `select s.id, p.id, round(st_length(st_intersection(st_boundary(p.geom), s.around))::numeric, 2), s.half
        from (select id, geom, half, st_buffer(geom, 0.2, 'quad_segs=1') around from sample_parcel where half in (${halves}) offset 0) s
        join parcel_shape p on st_dwithin(p.geom, s.geom, 0.2) and p.id > s.id`,
    ],
    after: ['analyze parcel_neighbour'],
  },
  {
    table: 'property_neighbour',
    columns: 'gnaf_pid text, neighbour_parcel_id int, shared_m float8, is_corner bool',
    key: 'gnaf_pid, neighbour_parcel_id',
    queries: [
      (halves) => `select f.gnaf_pid, n.neighbour_parcel_id, n.shared_m, n.shared_m <= 0.7
        from parcel_neighbour n join address_parcel f on f.parcel_id = n.parcel_id where n.half in (${halves})`,
      (halves) => `select f.gnaf_pid, n.parcel_id, n.shared_m, n.shared_m <= 0.7
        from parcel_neighbour n join address_parcel f on f.parcel_id = n.neighbour_parcel_id where n.half in (${halves})`,
    ],
  },
];

/** Nearest piece of a hazard to a shape `s`, as an array of its feature and the metres; and the features within 1 km. */
const nearest = (layer: string): string =>
  `(select array[h.id, h.geom <-> s.geom] from ${layer}_piece h order by h.geom <-> s.geom limit 1)`;
const within = (layer: string): string =>
  `(select count(distinct h.id)::int from ${layer}_piece h where st_dwithin(h.geom, s.geom, 1000))`;

/** Area of a parcel `s` that one feature of a layer covers, the greatest; of lines the length within, of points a one. */
const inside = ({ layer, kind }: HazardFile): string => {
  const shared = 'st_intersection(h.geom, s.geom)';
  const measure = isArea(kind) ? `st_area(${shared})` : kind === 'line' ? `st_length(${shared})` : '1.0';
  return `(select max(found) from (select sum(${measure}) found
    from ${layer}_piece h where st_intersects(h.geom, s.geom) group by h.id) each)`;
};
/** What of it counts as on the parcel: square metres, metres, points. */
const least = (kind: HazardFile['kind']): number => (isArea(kind) ? 1 : kind === 'line' ? 0.1 : 1);
/** Metres from a point to the nearest border of an area, from inside or outside. */
const margin = ({ layer, kind }: HazardFile): string =>
  isArea(kind)
    ? `case when near[2] = 0 then (select b.geom <-> s.geom from ${layer}_border b order by b.geom <-> s.geom limit 1)
        when near[2] <= 1000 then near[2] end`
    : 'null';

/** A layer on or near parcels and at or near points. */
const risks = (hazards: readonly HazardFile[]): readonly Result[] => [
  {
    table: 'parcel_hazard',
    columns:
      'parcel_id int, layer text, feature_id int, distance_m float8, features int, share float8, is_on bool',
    key: 'parcel_id, layer',
    queries: hazards.map(
      (hazard) => (halves) =>
        `select id, '${hazard.layer}', near[1]::int, near[2], features,
          ${isArea(hazard.kind) ? 'coalesce(inside / st_area(geom), 0)' : '0.0'}, coalesce(inside, 0) >= ${least(hazard.kind)}
        from (select s.id, s.geom, s.near, ${within(hazard.layer)} features, case when near[2] = 0 then ${inside(hazard)} end inside
          from (select s.id, s.geom, ${nearest(hazard.layer)} near from sample_parcel s where half in (${halves}) offset 0) s
          where near[2] <= 1000 offset 0) found`,
    ),
    after: ['analyze parcel_hazard'],
  },
  {
    table: 'property_risk',
    columns: `gnaf_pid text, layer text, on_property bool, nearest_distance_m int, features_within_radius int, name text, shape text,
      feature_id int, parcel_on bool, parcel_distance_m float8, parcel_features int, parcel_share float8, point_on bool,
      point_distance_m float8, point_features int, point_margin_m float8`,
    key: 'gnaf_pid, layer',
    queries: hazards.map(
      (hazard) => (halves) =>
        `select s.gnaf_pid, '${hazard.layer}', s.is_on, round(s.distance_m), s.features, h.name,
          '${hazard.kind ?? 'polygon'}',
          s.feature_id, s.is_on, s.distance_m, s.features, s.share,
          near[2] <= ${isArea(hazard.kind) ? 0 : 0.1}, case when near[2] <= 1000 then near[2] end,
          case when near[2] <= 1000 then ${within(hazard.layer)} else 0 end, ${margin(hazard)}
        from (select s.gnaf_pid, s.geom, p.*, ${nearest(hazard.layer)} near from sample_address s
          join parcel_hazard p on p.parcel_id = s.parcel_id and p.layer = '${hazard.layer}' where half in (${halves}) offset 0) s
        join ${hazard.layer} h on h.id = s.feature_id`,
    ),
  },
];

/** The nearest of a kind to an address `s`, as an array of its number and the metres. */
const closest = (table: string, id: string, kind: string): string =>
  `(select array[${id}, t.geom <-> s.geom] from ${table} t where ${kind} order by t.geom <-> s.geom limit 1)`;
const metres = (found: string, most: number): string =>
  `case when ${found}[2] <= ${most} then round(${found}[2])::int end`;
const PLACES = {
  supermarket: 5000,
  green_space: 5000,
  restaurant: 5000,
  beach: 20_000,
  railway_station: 20_000,
} as const;

const proximity = (hazards: readonly HazardFile[]): Result => ({
  table: 'property_proximity',
  columns: `gnaf_pid text, school_m int, school_id int, supermarket_m int, park_m int, restaurant_m int, beach_m int, railway_m int,
    train_m int, tram_m int, bus_m int, public_housing_m int`,
  key: 'gnaf_pid',
  queries: [
    (
      halves,
    ) => `select gnaf_pid, ${metres('school', 5000)}, case when school[2] <= 5000 then school[1]::int end,
        ${Object.entries(PLACES)
          .map(([kind, most]) =>
            kind === 'railway_station'
              ? `least(${metres(kind, most)}, ${metres('train', most)})`
              : metres(kind, most),
          )
          .join(', ')},
        ${['train', 'tram', 'bus'].map((mode) => metres(mode, 5000)).join(', ')}, ${metres('housing', 5000)}
      from (select s.gnaf_pid, ${closest('school', 'school_id', 'not is_special')} school,
        ${Object.keys(PLACES)
          .map((kind) => `${closest('place', 'place_id', `category = '${kind}'`)} ${kind}`)
          .join(', ')},
        ${['train', 'tram', 'bus'].map((mode) => `${closest('stop', '0', `mode = '${mode}'`)} ${mode}`).join(', ')},
        ${hazards.some(({ kind }) => kind === null) ? closest('public_housing_piece', 't.id', 'true') : 'null::float8[]'} housing
        from sample_address s where half in (${halves}) offset 0) found`,
  ],
});

/** Results that take long: computed of every n-th parcel and the addresses there, in an order in which each finds what it needs. */
export const sampledResults = (hazards: readonly HazardFile[]): readonly Result[] => [
  ...NEIGHBOURS,
  ...risks(hazards),
  proximity(hazards),
];

/** Statements that take every n-th parcel, and the addresses on those; sessions take one half of them each. */
export const sampleStatements = (every: number): readonly string[] => [
  `create unlogged table sample_parcel as select id, geom, (id / ${every}) % 2 half from parcel_shape where id % ${every} = 0 order by geom`,
  'analyze sample_parcel',
  `create unlogged table sample_address as select a.gnaf_pid, a.geom, f.parcel_id, (f.parcel_id / ${every}) % 2 half
   from address a join address_parcel f using (gnaf_pid) where f.parcel_id % ${every} = 0 order by a.geom`,
  'analyze sample_address',
];
