import { SAMPLE_CRS } from '../crs.ts';
import { date, number, text } from '../formats/dbf_writer.ts';
import type { StateCode } from '../geography/places.ts';
import type { ParcelFacts, StateCadastre } from './parcel_facts.ts';

const lotOf = (f: ParcelFacts): number => (f.strata ? f.unit : f.lot);

const nsw: StateCadastre = {
  path: 'nsw/NSWLandParcelPropertyTheme_Lot',
  crs: SAMPLE_CRS.gda2020,
  fields: [
    number('cadid', 10),
    text('lotnumber', 5),
    text('sectionnum', 4),
    number('plannumber', 8),
    text('planlabel', 12),
    text('lotidstrin', 24),
    number('planlotare', 12, 2),
    text('planlotar2', 10),
    text('classsubty', 16),
    text('stratumlev', 16),
    text('itstitlest', 24),
    date('startdate'),
    text('enddate', 12),
  ],
  roles: ['road', 'retired', 'stacked_strata'],
  joins: { lot: true, unit: true },
  parcelId: (f) => `${100_000_000 + f.serial}`,
  legalId: (f, unit) => (f.strata ? `${unit || ''}//SP${f.plan}` : `${f.lot}//DP${f.plan}`),
  row: (f) => {
    const label = `${f.strata ? 'SP' : 'DP'}${f.plan}`;
    const lot = f.role === 'road' || (f.strata && f.unit === 0) ? '' : `${lotOf(f)}`;
    const surveyed = f.serial % 8 < 3;
    return [
      100_000_000 + f.serial,
      lot,
      null,
      f.role === 'road' ? null : f.plan,
      f.role === 'road' ? null : label,
      f.role === 'road' ? null : `${lot}//${label}`,
      surveyed ? f.area_sqm : null,
      surveyed ? 'm2' : null,
      f.role === 'road' ? 'road' : 'StandardLot',
      f.role === 'stacked_strata' ? 'Level 1' : 'Ground Level',
      'Current',
      '20040101',
      f.role === 'retired' ? '30/06/2019' : '1/01/3000',
    ];
  },
};

const vic: StateCadastre = {
  path: 'vic/PARCEL_VIEW',
  crs: SAMPLE_CRS.gda2020,
  fields: [
    text('PARCEL_PFI', 10),
    text('PARCEL_SPI', 24),
    text('PARCEL_LOT', 10),
    text('PARCEL_PLA', 12),
    text('PARCEL_STA', 1),
    text('PARV_STATU', 1),
    text('PARV_Z_LEV', 1),
    text('PARCEL_ROA', 1),
    text('PARCEL_LGA', 3),
    text('PARCEL_CRE', 8),
  ],
  roles: ['road', 'proposed', 'stacked_strata'],
  joins: { lot: true, unit: false },
  parcelId: (f) => `${200_000_000 + f.serial}`,
  legalId: (f, unit) => (f.strata ? `${unit || 'CM1'}\\PS${f.plan}` : `${f.lot}\\PS${f.plan}`),
  row: (f) => {
    const lot = f.strata ? `${f.unit || 'CM1'}` : `${f.lot}`;
    const road = f.role === 'road';
    const status = f.role === 'proposed' ? 'P' : 'A';
    return [
      `${200_000_000 + f.serial}`,
      road ? `R${f.lot}\\PS${f.plan}` : `${lot}\\PS${f.plan}`,
      road ? `R${f.lot}` : lot,
      `PS${f.plan}`,
      status,
      status,
      f.role === 'stacked_strata' ? 'A' : f.strata ? 'S' : 'G',
      road ? 'Y' : 'N',
      '343',
      null,
    ];
  },
};

const qld: StateCadastre = {
  path: 'qld/ALL_PARCELS_PUBLISHED',
  crs: SAMPLE_CRS.gda2020,
  fields: [
    number('SEG_PAR', 10),
    text('LOT', 5),
    text('PLAN', 10),
    text('LOTPLAN', 15),
    number('LOT_AREA', 14, 3),
    number('EXCL_AREA', 12, 3),
    text('TENURE', 20),
    text('COVER_TYP', 16),
    text('PARCEL_TYP', 24),
    text('LOCALITY', 40),
  ],
  roles: ['road', 'easement', 'stacked_strata'],
  joins: { lot: true, unit: false },
  parcelId: (f) => `${lotOf(f)}${f.strata ? 'SP' : 'RP'}${f.plan}`,
  legalId: (f, unit) => (f.strata ? `${unit}/SP${f.plan}` : `${f.lot}/RP${f.plan}`),
  row: (f) => {
    const plan = `${f.strata || f.role === 'easement' ? 'SP' : 'RP'}${f.plan}`;
    const lot = f.role === 'easement' ? `E${f.lot}` : `${lotOf(f)}`;
    const road = f.role === 'road';
    const cover = f.role === 'easement' ? 'Easement' : f.role === 'stacked_strata' ? 'Strata' : 'Base';
    return [
      30_000_000 + f.serial,
      road ? null : lot,
      road ? null : plan,
      road ? null : lot + plan,
      f.area_sqm,
      0,
      road ? null : 'Freehold',
      cover,
      road ? 'Road Type Parcel' : 'Lot Type Parcel',
      f.suburb,
    ];
  },
};

const sa: StateCadastre = {
  path: 'sa/LandParcels_GDA94',
  crs: SAMPLE_CRS.gda94,
  fields: [
    text('PARCEL_ID', 20),
    text('PLAN_T', 1),
    text('PLAN', 10),
    text('PARCEL_T', 2),
    text('PARCEL', 8),
    text('TITLE_T', 2),
    text('VOLUME', 8),
    text('FOLIO', 8),
    text('PARCEL_SUB', 4),
    number('FLOOR_LEVE', 5, 1),
    text('DCDBID', 20),
  ],
  roles: ['road', 'stacked_strata'],
  joins: { lot: true, unit: false },
  // PARCEL_ID is padded and repeats; DCDBID is the cleaner one
  parcelId: (f) => saKey(f, f.unit).join(''),
  legalId: (f, unit) => saKey(f, unit).join(' '),
  row: (f) => {
    const [plan, parcel] = saKey(f, f.unit);
    const kind = f.role === 'road' ? 'AR' : 'AL';
    return [
      `${plan}${' '.repeat(Math.max(1, 9 - plan.length))}${parcel}`,
      plan[0]!,
      plan.slice(1),
      parcel[0]!,
      parcel.slice(1),
      'CT',
      `${5000 + (f.plan % 1200)}`,
      `${f.lot}`,
      kind,
      f.role === 'stacked_strata' ? 1.5 : f.serial % 2 === 0 ? null : 0,
      sa.parcelId(f),
    ];
  },
};

function saKey(f: ParcelFacts, unit: number): [string, string] {
  if (f.role === 'road') return [`R${f.plan}`, `R${f.lot}`];
  return f.strata ? [`S${f.plan}`, unit ? `U${unit}` : 'UCP'] : [`D${f.plan}`, `A${f.lot}`];
}

/** The free product has no attributes: parcels and addresses meet by position alone. */
const wa: StateCadastre = {
  path: 'wa/Cadastre_No_Attributes_LGATE_001',
  crs: SAMPLE_CRS.gda2020,
  fields: [number('objectid', 10), number('view_scale', 10)],
  roles: [],
  joins: { lot: false, unit: false },
  parcelId: (f) => `${f.serial}`,
  legalId: (f, unit) => (f.strata ? `S0${f.plan} ${unit}` : `P0${f.plan} ${f.lot}`),
  row: (f) => [f.serial, 20000],
};

const tas: StateCadastre = {
  path: 'tas/list_cadastral_parcels_statewide',
  crs: SAMPLE_CRS.mga94_55,
  fields: [
    number('CID', 10),
    text('VOLUME', 8),
    number('FOLIO', 6),
    number('PID', 9),
    text('LPI', 7),
    text('UFI', 12),
    text('CAD_TYPE1', 24),
    text('CAD_TYPE2', 24),
    text('TENURE_TY', 24),
    text('STRATA_LEV', 16),
    number('COMP_AREA', 14, 3),
    number('MEAS_AREA', 12, 1),
  ],
  roles: ['road', 'stacked_strata'],
  joins: { lot: true, unit: false },
  parcelId: (f) => `${1_000_000 + f.serial}`,
  legalId: (f, unit) => `${f.plan}/${f.strata ? unit : f.lot}`,
  row: (f) => [
    1_000_000 + f.serial,
    `${f.plan}`,
    lotOf(f),
    5_000_000 + f.serial,
    null,
    `CPF${f.serial}`,
    f.role === 'road' ? 'Casement' : 'Private Parcel',
    null,
    f.role === 'road' ? 'Council' : 'Freehold Title',
    f.role === 'stacked_strata' ? 'Level 1' : 'Not Applicable',
    f.area_sqm,
    0,
  ],
};

const nt: StateCadastre = {
  path: 'nt/NTLIS_CADASTRE',
  crs: SAMPLE_CRS.gda94,
  fields: [
    text('LAISKEY', 16),
    text('LOT', 8),
    text('SURVEY_PLA', 12),
    text('PARCEL_TYP', 12),
    text('STATUS', 12),
  ],
  roles: ['road', 'proposed'],
  joins: { lot: true, unit: false },
  parcelId: (f) => `100 ${String(f.serial).padStart(7, '0')}`,
  legalId: (f, unit) => (f.strata ? `${unit}/U${f.plan}` : `${f.lot}/S${f.plan}`),
  row: (f) => [
    nt.parcelId(f),
    `${lotOf(f)}`,
    `${f.strata ? 'U' : 'S'}${f.plan}`,
    f.role === 'road' ? 'ROAD' : 'PARCEL',
    f.role === 'proposed' ? 'PROPOSED' : 'CURRENT',
  ],
};

/** G-NAF abbreviates district and division, the cadastre numbers them: no key in common. */
const act: StateCadastre = {
  path: 'act/ACTGOV_BLOCKS',
  crs: SAMPLE_CRS.mga2020_55,
  fields: [
    text('BLOCK_KEY', 14),
    number('BLOCK', 5),
    number('SECTION', 5),
    text('DIVISION', 30),
    text('DISTRICT', 30),
    text('CURRENT_LI', 16),
    number('ID', 10),
  ],
  roles: ['retired', 'proposed'],
  joins: { lot: false, unit: false },
  // a block without a key has its ID
  parcelId: (f) => (f.serial % 7 === 0 ? `${f.serial}` : `1${String(f.serial).padStart(10, '0')}`),
  legalId: (f) => `LAKE/${f.suburb.replaceAll(' ', '').slice(0, 4).toUpperCase()}/${f.plan % 1000}/${f.lot}`,
  row: (f) => [
    f.serial % 7 === 0 ? null : act.parcelId(f),
    f.lot,
    f.plan % 1000,
    f.suburb.toUpperCase(),
    'LAKEVIEW CENTRAL',
    f.role === 'retired'
      ? 'RETIRED'
      : f.role === 'proposed'
        ? 'PROPOSED'
        : f.serial % 5
          ? 'REGISTERED'
          : f.serial % 2
            ? 'APPROVED'
            : 'OCCUPIED',
    f.serial,
  ],
};

/** Cadastre of every state: field names, CRS and row roles as in the states' own deliveries. */
export const STATE_CADASTRE: Readonly<Record<StateCode, StateCadastre>> = {
  NSW: nsw,
  VIC: vic,
  QLD: qld,
  SA: sa,
  WA: wa,
  TAS: tas,
  NT: nt,
  ACT: act,
};
