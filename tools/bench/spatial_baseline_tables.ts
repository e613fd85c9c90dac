import { PLACE_CATEGORIES } from '../../schema/records/place.ts';
import { GNAF_TABLES } from './spatial_baseline_load.ts';
import type { HazardFile } from './spatial_hazards.ts';
import { MODES } from './spatial_releases.ts';

/** Metric CRS in which everything is measured: GDA2020 / MGA zone 55. */
const ON_PLANE = (geometry: string): string => `st_transform(${geometry}, 7855)`;
const POINT = (lon: string, lat: string): string => ON_PLANE(`st_setsrid(st_point(${lon}, ${lat}), 7844)`);
/** Rings that cross themselves are repaired, so that no function fails on them. */
const VALID = 'case when st_isvalid(geom) then geom else st_makevalid(geom) end';
const INDEX = (table: string): string => `create index on ${table} using gist (geom)`;
/** Text of the parts of a number, null where there is none. */
const NUMBER = (part: string): string => `nullif(concat(d.${part}_prefix, d.${part}, d.${part}_suffix), '')`;

const ADDRESS = `create unlogged table address as
  select d.address_detail_pid gnaf_pid, (row_number() over () % 2)::int half,
    concat_ws(' ', d.flat_type_code, ${NUMBER('flat_number')}, ${NUMBER('level_number')},
      concat_ws('-', ${NUMBER('number_first')}, ${NUMBER('number_last')}),
      s.street_name, s.street_type_code, s.street_suffix_code, l.locality_name, 'VIC', d.postcode) address,
    d.building_name, d.flat_type_code flat_type, ${NUMBER('flat_number')} flat_number, ${NUMBER('level_number')} level_number,
    ${NUMBER('number_first')} number_first, ${NUMBER('number_last')} number_last, d.lot_number,
    concat_ws(' ', s.street_name, s.street_type_code, s.street_suffix_code) street, l.locality_name locality, d.postcode,
    g.longitude::float8 lon, g.latitude::float8 lat, g.geocode_type_code geocode_type, d.confidence::int2 confidence,
    d.primary_secondary, m.mb_2021_code mesh_block, ${POINT('g.longitude::float8', 'g.latitude::float8')} geom
  from raw_address_detail d left join raw_address_default_geocode g using (address_detail_pid)
  left join raw_street_locality s using (street_locality_pid)
  left join raw_locality l on l.locality_pid = d.locality_pid
  left join (raw_address_mesh_block_2021 b join raw_mb_2021 m using (mb_2021_pid)) using (address_detail_pid)
  where d.alias_principal = 'P' and d.date_retired is null order by geom`;

const HAZARD = (layer: string, shape: string): string =>
  `create unlogged table ${layer} as select gid id, name, ${ON_PLANE(shape)} geom from raw_${layer}`;

/** The SA1s with public housing in a tenth or more of the dwellings whose tenure is known. */
const PUBLIC_HOUSING = (layer: string): string =>
  `create unlogged table ${layer} as select gid id, 'Public housing ' || round(100.0 * (state + community) / (total - unknown), 1) || ' %' as name,
     ${ON_PLANE('geom')} geom from raw_sa1 join raw_tenure on sa1 = sa1_code21 where state + community >= 0.1 * (total - unknown)`;

/** A layer of areas, those made of the Census included. */
export const isArea = (kind: HazardFile['kind']): boolean => kind === 'polygon' || kind === null;

/** The borders of a layer of areas by themselves: a point is measured to them from inside too. */
const BORDER = (layer: string): string[] => [
  `create unlogged table ${layer}_border as select st_subdivide(st_boundary(geom), 64) geom from ${layer} order by geom`,
  INDEX(`${layer}_border`),
  `analyze ${layer}_border`,
];

/** Levels of regions besides the mesh block. */
export const REGIONS = ['sal', 'sa2', 'sa3', 'lga', 'poa'] as const;

/** Suffixes of the columns of a level: the year of its boundaries. */
const yearOf = (level: string): string => (level === 'lga' ? '22' : '21');
const nameOf = (level: string): string => `${level}_name${yearOf(level)}`;

/** Places and stops are searched kind by kind, so each kind has an index of its own. */
const byKind = (table: string, column: string, kinds: readonly string[]): string[] =>
  kinds.map((kind) => `create index on ${table} using gist (geom) where ${column} = '${kind}'`);

/**
 * Jobs that make tables on the plane from the loaded ones: rows in the order of a space-filling curve, keys, spatial indexes,
 * statistics. The jobs are independent of each other. A hazard is cut into pieces of at most 64 vertices, which fit into a page.
 */
export const tableJobs = (hazards: readonly HazardFile[]): string[][] => [
  [
    // without statistics the join is planned for tables of no size
    `analyze ${GNAF_TABLES.map((table) => `raw_${table}`).join(', ')}`,
    ADDRESS,
    'alter table address add primary key (gnaf_pid)',
    INDEX('address'),
    'alter table address set (parallel_workers = 2)',
    'analyze address',
  ],
  [
    `create unlogged table parcel_shape as select id::int id, id::int % 2 half, st_area(geom::geography) area_sqm, ${ON_PLANE(VALID)} geom
     from raw_parcel order by geom`,
    'alter table parcel_shape add primary key (id)',
    INDEX('parcel_shape'),
    'analyze parcel_shape',
  ],
  ...hazards.map(({ layer, kind }) => [
    kind === null ? PUBLIC_HOUSING(layer) : HAZARD(layer, kind === 'polygon' ? VALID : 'geom'),
    `alter table ${layer} add primary key (id)`,
    `create unlogged table ${layer}_piece as select id, ${kind === 'point' ? 'geom' : 'st_subdivide(geom, 64) geom'} from ${layer} order by geom`,
    INDEX(`${layer}_piece`),
    ...(isArea(kind) ? BORDER(layer) : []),
    `analyze ${layer}, ${layer}_piece`,
  ]),
  ...['zone', 'overlay'].map((theme) => [
    `create unlogged table ${theme} as select gid id, zone_code code, zone_desc as name, ${ON_PLANE(VALID)} geom
     from raw_${theme} where zonestatus = 'g' order by geom`,
    `alter table ${theme} add primary key (id)`,
    INDEX(theme),
    `analyze ${theme}`,
  ]),
  [
    `create unlogged table mesh_block as select mb_code21 code, sa1_code21 sa1, sa2_code21 sa2, sa2_name21 sa2_name, sa3_code21 sa3,
       sa3_name21 sa3_name, sa4_code21 sa4, sa4_name21 sa4_name, gcc_code21 gccsa, gcc_name21 gccsa_name, ${ON_PLANE('geom')} geom
     from raw_mb where geom is not null order by geom`,
    'alter table mesh_block add primary key (code)',
    INDEX('mesh_block'),
    'analyze mesh_block',
    ...REGIONS.flatMap((level) => [
      `create unlogged table ${level} as select ${level}_code${yearOf(level)} code, ${nameOf(level)} as name,
         ${ON_PLANE('geom')} geom from raw_${level} where geom is not null order by geom`,
      `alter table ${level} add primary key (code)`,
      INDEX(level),
      `analyze ${level}`,
    ]),
  ],
  [
    `create unlogged table stop as ${MODES.map(
      (mode) =>
        `select '${mode}:' || id stop_id, '${mode}' as mode, name label, ${ON_PLANE('geom')} geom from raw_${mode}`,
    ).join(' union all ')}`,
    'alter table stop add primary key (stop_id, mode)',
    ...byKind('stop', 'mode', MODES),
    'analyze stop',
    `create unlogged table place as select id place_id, name, kind category, lon, lat, ${POINT('lon', 'lat')} geom from raw_places`,
    'alter table place add primary key (place_id, category)',
    ...byKind('place', 'category', PLACE_CATEGORIES),
    'analyze place',
    `create unlogged table school as select id school_id, name, level, sector, special = 'Y' is_special, lon, lat,
       ${POINT('lon', 'lat')} geom from raw_schools`,
    'alter table school add primary key (school_id)',
    'create index on school using gist (geom) where not is_special',
    'analyze school',
  ],
];
