import { SAMPLE_CRS } from '../crs.ts';
import { number, text } from '../formats/dbf_writer.ts';
import { type DeliveredRow, type Delivery, dropped, record } from './delivery.ts';

const NSW_FIELDS = [
  number('cadid', 10),
  text('lotnumber', 8),
  text('sectionnumber', 6),
  number('plannumber', 10),
  text('planlabel', 12),
  text('lotidstring', 24),
  number('planlotarea', 12, 2),
  number('classsubtype', 2),
  text('stratumlevel', 16),
  number('hasstratum', 1),
  number('itstitlestatus', 2),
  text('enddate', 16),
];
const FOREVER = '32503680000000';
/** A lot of the coded form: subtypes, levels and states of the title are numbers, and booleans 0 undefined, 1 false, 2 true. */
const nswRow = (
  cadid: number,
  id: string | null,
  { subtype = 1, level = '0', status = 1, end = FOREVER } = {},
): (string | number | null)[] => {
  const [lot, section, plan] = (id ?? '//').split('/') as [string, string, string];
  return [cadid, lot, section, Number(plan.slice(2)), plan, id, null, subtype, level, 0, status, end];
};

const nswCoded: Delivery = {
  id: 'nsw_lots_coded',
  state: 'NSW',
  adapter: 'cadastre',
  map: 'nsw',
  options: { state: 'NSW' },
  datum: 'EPSG:7844',
  files: [
    {
      path: 'Lot.geojson',
      crs: SAMPLE_CRS.gda2020,
      fields: NSW_FIELDS,
      rows: [
        record('1//DP1001', ...nswRow(101, '1//DP1001')),
        record('5/I/DP215', ...nswRow(102, '5/I/DP215')),
        record('//SP63634', ...nswRow(103, '//SP63634', { subtype: 3 })),
        // the two pieces of one lot
        record('2//DP1001', ...nswRow(104, '2//DP1001', { subtype: 2 })),
        record('2//DP1001', ...nswRow(105, '2//DP1001', { subtype: 2 })),
        dropped('stacked_strata', ...nswRow(106, '7//SP63634', { subtype: 3, level: '4' })),
        dropped('stacked_strata', ...nswRow(107, '8//SP63634', { subtype: 4, level: '-1' })),
        dropped('retired', ...nswRow(108, '3//DP1001', { status: 7 })),
        dropped('retired', ...nswRow(109, '4//DP1001', { status: 8 })),
        dropped('retired', ...nswRow(110, '9//DP1001', { status: 9 })),
        dropped('retired', ...nswRow(111, '6//DP1001', { end: '1561766400000' })),
      ],
    },
  ],
};

const QLD_FIELDS = [
  number('SEGPAR', 10),
  number('PAR_NUM', 8),
  number('PAR_IND', 3),
  text('LOT', 5),
  text('PLAN', 10),
  text('LOTPLAN', 15),
  number('LOT_AREA', 14, 3),
  text('TENURE', 4),
  text('COVER_TYP', 4),
  text('PARCEL_TYP', 4),
];
/** A row of the coded form of the cadastre. */
const qldRow = (
  serial: number,
  lot: string | null,
  plan: string | null,
  { kind = 0, tenure = 'FH', cover = 'B', type = 'L' } = {},
): (string | number | null)[] => [
  40_000_000 + serial,
  serial,
  kind,
  lot,
  plan,
  lot === null || plan === null ? null : lot + plan,
  650.25,
  tenure,
  cover,
  type,
];

const qldCoded: Delivery = {
  id: 'qld_dcdb_coded',
  state: 'QLD',
  adapter: 'cadastre',
  map: 'qld',
  options: { state: 'QLD' },
  datum: null,
  files: [
    {
      path: 'DP_QLD_DCDB.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: QLD_FIELDS,
      rows: [
        record('1RP2001', ...qldRow(1, '1', 'RP2001')),
        record('2RP2001', ...qldRow(2, '2', 'RP2001', { tenure: 'LL' })),
        record('3RP2001', ...qldRow(3, '3', 'RP2001', { tenure: 'RE' })),
        record('3RP2001', ...qldRow(4, '3', 'RP2001', { tenure: 'RE' })),
        dropped('stacked_strata', ...qldRow(5, '11', 'SP3001', { cover: 'S' })),
        dropped('easement', ...qldRow(6, 'A', 'SP3002', { cover: 'E' })),
        dropped('covenant', ...qldRow(7, 'B', 'SP3002', { tenure: 'CV' })),
        dropped('road', ...qldRow(8, null, null, { kind: 81, type: 'R' })),
        dropped('road', ...qldRow(9, null, null, { kind: 82 })),
        dropped('water', ...qldRow(10, null, null, { kind: 80 })),
        dropped('water', ...qldRow(11, null, null, { kind: 88 })),
        dropped('other_region', ...qldRow(12, null, null, { kind: 92 })),
        dropped('no_lot_plan', ...qldRow(13, null, null)),
      ],
    },
  ],
};

/** Lots of the free product, which has lot and plan alone. */
const lite = (lot: string, plan: string): DeliveredRow =>
  record(`${lot}${plan}`, lot, plan, 'LAKEVIEW', 'LAKEVIEW CITY');
const TOWER = { at: 20 };

const qldLite: Delivery = {
  id: 'qld_dcdb_lite',
  state: 'QLD',
  adapter: 'cadastre',
  map: 'qld',
  options: { state: 'QLD' },
  datum: 'EPSG:7844',
  files: [
    {
      path: 'DCDB_Lite.geojson',
      crs: SAMPLE_CRS.gda2020,
      fields: [text('LOT', 5), text('PLAN', 10), text('LOCALITY', 40), text('SHIRE_NAME', 40)],
      rows: [
        lite('1', 'RP2001'),
        lite('2', 'RP2001'),
        // stacked strata, of which no cover type tells: each lot has the footprint of the building
        ...['0', '1', '2', '3', '4'].map((lot) => ({ ...lite(lot, 'SP3001'), ...TOWER })),
      ],
    },
  ],
};

const COUNCIL_FIELDS = [number('OBJECTID', 8), text('LOT_PLAN', 20), text('FEATURE', 20)];
/** A row of a council's extract, plan before lot in one column. */
const extract = (i: number, plan: string, lot: string, at: number): DeliveredRow => ({
  ...record(`${lot}${plan}`, i, `${plan}/${lot}`, 'Lot'),
  at,
});

/** Two extracts of a cadastre that overlap: the border lots are in both, and one lot has a piece in each. */
const overlapping: Delivery = {
  id: 'qld_council_extracts',
  state: 'QLD',
  adapter: 'cadastre',
  map: null,
  options: {
    state: 'QLD',
    field_map: {
      parcel_id: 'LOT_PLAN',
      lot_plan: {
        parts: ['LOT_PLAN'],
        patterns: [{ match: '^([A-Z]+[0-9]+)/([A-Z0-9]+)$', write: '$2/$1' }],
      },
      unite_lots: true,
      drops: [{ name: 'road', fields: ['FEATURE'], drop: ['Road'] }],
    },
  },
  datum: null,
  files: [
    {
      path: 'North.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: COUNCIL_FIELDS,
      rows: [
        extract(1, 'RP602276', '1', 0),
        extract(2, 'RP602276', '2', 1),
        extract(3, 'RP602276', '3', 2),
        dropped('road', 4, 'Road', 'Road'),
      ],
    },
    {
      path: 'South.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: COUNCIL_FIELDS,
      rows: [
        // as in the other file
        extract(1, 'RP602276', '2', 1),
        // another piece of the lot
        extract(2, 'RP602276', '3', 3),
        extract(3, 'RP602276', '4', 4),
      ],
    },
  ],
};

const SA_FIELDS = [
  text('PARCEL_ID', 20),
  text('PLAN_T', 1),
  text('PLAN', 10),
  text('PARCEL_T', 2),
  text('PARCEL', 8),
  text('PARCEL_SUB', 20),
  number('FLOOR_LEVE', 5, 1),
  text('DCDBID', 20),
];
/** A community plan: its outline, which has a plan and no parcel, lies over the lots of the plan. */
const saCommunity: Delivery = {
  id: 'sa_community_plan',
  state: 'SA',
  adapter: 'cadastre',
  map: 'sa',
  options: { state: 'SA' },
  datum: null,
  files: [
    {
      path: 'LandParcels.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: SA_FIELDS,
      rows: [
        {
          ...dropped('covers_others', 'C10179', 'C', '10179', null, null, null, null, 'C10179'),
          at: 0,
          wide: 3,
        },
        ...[1, 2, 3].map((lot) => ({
          ...record(
            `C10179 A${lot}`,
            // PARCEL_ID repeats, DCDBID does not
            'C10179   A1',
            'C',
            '10179',
            'A',
            `${lot}`,
            'AL',
            lot === 2 ? 0 : null,
            `C10179A${lot}`,
          ),
          at: lot - 1,
        })),
        { ...dropped('stacked_strata', 'C10179   A4', 'C', '10179', 'A', '4', 'AL', 1.5, 'C10179A4'), at: 2 },
        dropped('road', 'D119742  A9', 'D', '119742', 'A', '9', 'AR', null, 'D119742A9'),
      ],
    },
  ],
};

export const CADASTRE_DELIVERIES: readonly Delivery[] = [
  nswCoded,
  qldCoded,
  qldLite,
  overlapping,
  saCommunity,
];
