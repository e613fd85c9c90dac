import type { PoolClient } from 'pg';
import { readAddressIndex } from '../../../pipelines/match/matching.ts';
import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import { type MatchInput, matchAddress } from '../../../transforms/address/match/match.ts';
import { type Comparison, compare } from './comparison.ts';

/** A row of an oracle. */
export type OracleRow = Readonly<Record<string, string>>;

/** What oracles are held against. */
export class Published {
  readonly #client: PoolClient;
  #index: Promise<AddressIndex> | null = null;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async rows<T extends object>(query: string): Promise<T[]> {
    return (await this.#client.query<T>(query)).rows;
  }

  /** The addresses of all states. */
  index(): Promise<AddressIndex> {
    this.#index ??= readAddressIndex(this.#client, null);
    return this.#index;
  }
}

type Oracle = (published: Published, rows: readonly OracleRow[], file: string) => Promise<Comparison[]>;

const pidOf = ({ gnaf_pid }: OracleRow): string => gnaf_pid!;
const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true';

/** Rows of a query by a key. */
async function keyed<T extends { key: string }>(
  published: Published,
  query: string,
): Promise<Map<string, T>> {
  return new Map((await published.rows<T>(query)).map((row) => [row.key, row]));
}

/** Metres from an edge within which a point decides nothing. */
const EDGE_M = 0.05;

/** The zone that holds a point. */
const zoneByPoint: Oracle = async (published, rows, oracle) => {
  const found = await keyed<{ key: string; code: string | null }>(
    published,
    'SELECT gnaf_pid AS key, code FROM serving.property_zoning',
  );
  return [
    compare(
      { what: 'zone of an address point', oracle, remark: `Left out: points within ${EDGE_M} m of an edge.` },
      rows,
      pidOf,
      ({ gnaf_pid, zone_code, margin_to_zone_edge_m }) =>
        margin_to_zone_edge_m !== undefined && Number(margin_to_zone_edge_m) < EDGE_M
          ? null
          : { agrees: found.get(gnaf_pid!)?.code === zone_code },
    ),
  ];
};

/** Parcel of an oracle: by the publisher's identifier, without the state. */
const LOCAL_PARCEL = "split_part(parcel_id, ':', 2)";

const parcelArea: Oracle = async (published, rows, oracle) => {
  const found = await keyed<{ key: string; area_sqm: number }>(
    published,
    `SELECT ${LOCAL_PARCEL} AS key, area_sqm FROM record.parcel`,
  );
  return [
    compare(
      { what: 'area of a parcel', oracle, unit: 'm²', remark: 'Equal: within 0.05 m².' },
      rows,
      ({ id_stock }) => id_stock!,
      ({ id_stock, ellipsoidal_m2 }) => {
        const area = found.get(id_stock!)?.area_sqm;
        const off = area === undefined ? Infinity : Math.abs(area - Number(ellipsoidal_m2));
        return { agrees: off <= 0.05, off: Number.isFinite(off) ? off : null };
      },
    ),
  ];
};

/** Pairs of parcels that adjoin, in Yarra's columns (`id_stock`) or the sample's (`parcel_a`). */
const adjoining: Oracle = async (published, rows, oracle) => {
  const isSample = rows[0]?.parcel_a !== undefined;
  const key = isSample ? 'parcel_id' : LOCAL_PARCEL;
  const other = isSample ? 'neighbour_parcel_id' : LOCAL_PARCEL.replace('parcel_id', 'neighbour_parcel_id');
  const found = await keyed<{ key: string; is_corner: boolean }>(
    published,
    `SELECT DISTINCT ${key} || '|' || ${other} AS key, is_corner FROM serving.property_neighbour JOIN serving.property USING (gnaf_pid)`,
  );
  const served = new Set(
    (
      await published.rows<{ id: string }>(
        `SELECT DISTINCT ${key} AS id FROM serving.property WHERE parcel_id IS NOT NULL`,
      )
    ).map(({ id }) => id),
  );
  const ids = (row: OracleRow): [string, string] =>
    isSample ? [row.parcel_a!, row.parcel_b!] : [row.id_stock!, row.other_id_stock!];
  return [
    compare(
      {
        what: 'parcels that adjoin, and that meet at a corner only',
        oracle,
        remark:
          'Left out: touches at which the tolerance decides, parcels that overlap, and parcels without an address.',
      },
      rows,
      (row) => ids(row).join(' | '),
      (row) => {
        const [a, b] = ids(row);
        const direction = served.has(a) ? `${a}|${b}` : served.has(b) ? `${b}|${a}` : null;
        if (direction === null || isTrue(row.borderline) || Number(row.overlap_m2 ?? 0) > 1) return null;
        const adjoins = isSample ? row.corner === 'false' : isTrue(row.adjoining);
        const pair = found.get(direction);
        return { agrees: (pair !== undefined && !pair.is_corner) === adjoins };
      },
    ),
  ];
};

interface Flood {
  key: string;
  parcel: string | null;
  is_on: boolean;
  parcel_m: number | null;
  parcel_n: number;
  point_m: number | null;
  point_n: number;
}

const flood: Oracle = async (published, rows, oracle) => {
  const found = await keyed<Flood>(
    published,
    `SELECT p.gnaf_pid AS key, ${LOCAL_PARCEL.replace('parcel_id', 'p.parcel_id')} AS parcel, coalesce(bool_or(r.parcel_on), false) AS is_on,
       min(r.parcel_distance_m) AS parcel_m, coalesce(sum(r.parcel_features), 0)::int AS parcel_n, min(r.point_distance_m) AS point_m,
       coalesce(sum(r.point_features), 0)::int AS point_n
     FROM serving.property p LEFT JOIN serving.property_risk r ON r.gnaf_pid = p.gnaf_pid AND r.layer = 'flood' GROUP BY 1, 2`,
  );
  const ofParcel = (row: OracleRow): Flood | null => {
    const own = found.get(row.gnaf_pid!);
    return own?.parcel === row.id_stock ? own! : null;
  };
  const distance = (what: string, column: 'parcel_m' | 'point_m', wanted: string): Comparison =>
    compare({ what, oracle, unit: 'm', remark: 'Equal: within 0.05 m.' }, rows, pidOf, (row) => {
      const own = ofParcel(row);
      if (own === null || row[wanted] === '' || Number(row[wanted]) > 1000) return null;
      const off = own[column] === null ? Infinity : Math.abs(own[column] - Number(row[wanted]));
      return { agrees: off <= 0.05, off: Number.isFinite(off) ? off : null };
    });
  return [
    compare(
      { what: 'flood on the parcel', oracle, remark: 'Left out: overlaps up to 1 m², which are slivers.' },
      rows,
      pidOf,
      (row) => {
        const own = ofParcel(row);
        const overlap = Number(row.overlap_m2);
        if (own === null || (overlap > 0 && overlap <= 1)) return null;
        return { agrees: own.is_on === isTrue(row.on_property) };
      },
    ),
    distance('distance of the parcel to flood', 'parcel_m', 'parcel_nearest_m'),
    distance('distance of the point to flood', 'point_m', 'point_nearest_m'),
    compare({ what: 'flood features within 1 km of parcel and point', oracle }, rows, pidOf, (row) => {
      const own = ofParcel(row);
      return own === null
        ? null
        : {
            agrees:
              own.parcel_n === Number(row.parcel_features_1km) &&
              own.point_n === Number(row.point_features_1km),
          };
    }),
  ];
};

const nearestTransport: Oracle = async (published, rows, oracle) => {
  const found = await keyed<{ key: string; train_m: number; tram_m: number; bus_m: number }>(
    published,
    'SELECT gnaf_pid AS key, train_m, tram_m, bus_m FROM serving.property_proximity',
  );
  return (['train', 'tram', 'bus'] as const).map((mode) =>
    compare(
      {
        what: `distance to the nearest ${mode} stop`,
        oracle,
        unit: 'm',
        remark: 'Whole metres are served; equal: within 0.56 m.',
      },
      rows,
      pidOf,
      (row) => {
        const own = found.get(row.gnaf_pid!)?.[`${mode}_m`];
        const off = own === undefined || own === null ? Infinity : Math.abs(own - Number(row[`${mode}_m`]));
        return { agrees: off <= 0.56, off: Number.isFinite(off) ? off : null };
      },
    ),
  );
};

/** Addresses of texts: found where they exist, and nothing found where they do not. */
async function matched(
  published: Published,
  what: string,
  oracle: string,
  rows: readonly OracleRow[],
  inputOf: (row: OracleRow) => MatchInput,
  expectedOf: (row: OracleRow) => string | null,
): Promise<Comparison[]> {
  const index = await published.index();
  const found = new Map(rows.map((row) => [row, matchAddress(index, inputOf(row)).gnaf_pid]));
  const textOf = (row: OracleRow): string => `${row.text ?? row.address}`;
  return [
    compare({ what: `${what}: the address that is meant`, oracle }, rows, textOf, (row) =>
      expectedOf(row) === null ? null : { agrees: found.get(row) === expectedOf(row) },
    ),
    compare({ what: `${what}: no address where none is meant`, oracle }, rows, textOf, (row) =>
      expectedOf(row) === null ? { agrees: found.get(row) === null } : null,
    ),
  ];
}

const saleMatches: Oracle = (published, rows, oracle) =>
  matched(
    published,
    'sales',
    oracle,
    rows,
    ({ address, suburb }) => ({ text: address!, suburb: suburb!, state: 'VIC' }),
    ({ match, gnaf_pid }) => (match === 'exact' ? gnaf_pid! : null),
  );

const labelledTexts: Oracle = (published, rows, oracle) =>
  matched(
    published,
    'texts of listings',
    oracle,
    rows,
    ({ text, suburb, state, postcode }) => ({ text: text!, suburb, state, postcode }) as MatchInput,
    ({ expected_gnaf_pid }) => expected_gnaf_pid || null,
  );

interface Home {
  key: string;
  parcel_id: string | null;
  parcel_method: string;
  code: string | null;
  mesh_block: string | null;
  sa1: string | null;
  sa2: string | null;
  /** Mesh block and point lie in the same regions; null: one of them is not known. */
  agrees: boolean | null;
}

/** Truth of the sample country: parcel, zone and regions of every live principal address. */
const properties: Oracle = async (published, rows, oracle) => {
  const found = await keyed<Home>(
    published,
    `SELECT p.gnaf_pid AS key, p.parcel_id, p.parcel_method, z.code, f.mesh_block, f.sa1, f.sa2, f.agrees FROM serving.property p
     JOIN serving.property_profile f USING (gnaf_pid) LEFT JOIN serving.property_zoning z USING (gnaf_pid)`,
  );
  const live = rows.filter((row) => row.alias_principal === 'P' && row.is_live === 'true');
  const each = (what: string, same: (own: Home, row: OracleRow) => boolean, remark = ''): Comparison =>
    compare({ what, oracle, remark }, live, pidOf, (row) => {
      const own = found.get(row.gnaf_pid!);
      return { agrees: own !== undefined && same(own, row) };
    });
  return [
    each('every live principal address is served', () => true),
    each(
      'parcel of an address, and how it was found',
      (own, row) =>
        own.parcel_method === row.parcel_method &&
        (row.parcel_method === 'none' ? own.parcel_id === null : own.parcel_id === row.parcel_id),
    ),
    compare(
      {
        what: 'SA1 and SA2',
        oracle,
        remark: 'Left out: addresses whose mesh block in G-NAF is another than that of their point.',
      },
      live,
      pidOf,
      (row) => {
        const own = found.get(row.gnaf_pid!);
        if (own?.agrees === false) return null;
        return { agrees: own?.sa1 === (row.sa1 || null) && own?.sa2 === (row.sa2 || null) };
      },
    ),
    compare(
      { what: 'zone', oracle, remark: 'Left out: addresses without a parcel, and states without zones.' },
      live,
      pidOf,
      (row) => {
        const own = found.get(row.gnaf_pid!);
        if (row.zone_code === '' || own === undefined || own.parcel_id === null || own.code === null)
          return null;
        return { agrees: own.code === row.zone_code };
      },
    ),
  ];
};

/** Truth of the sample country: parcels that a hazard or overlay covers wholly. */
const planningParcels: Oracle = async (published, rows, oracle) => {
  const served = await keyed<{ key: string; hazards: string[]; overlays: string[] }>(
    published,
    `SELECT p.parcel_id AS key,
       array(SELECT DISTINCT r.layer FROM serving.property_risk r WHERE r.gnaf_pid = min(p.gnaf_pid) AND r.parcel_on) AS hazards,
       array(SELECT o.layer || '|' || o.value FROM serving.property_overlay o WHERE o.gnaf_pid = min(p.gnaf_pid)) AS overlays
     FROM serving.property p WHERE p.parcel_id IS NOT NULL GROUP BY 1`,
  );
  const remark = 'Left out: parcels without an address.';
  const keyOf = ({ layer, parcel_id }: OracleRow): string => `${layer} ${parcel_id}`;
  const isOverlay = ({ theme }: OracleRow): boolean => theme === 'overlay';
  const heritage = new Set(rows.flatMap((row) => (row.theme === 'heritage' ? [row.parcel_id!] : [])));
  return [
    compare(
      { what: 'overlays on the parcels that they cover, with their values', oracle, remark },
      rows.filter(isOverlay),
      keyOf,
      ({ layer, value, parcel_id }) => {
        const own = served.get(parcel_id!);
        return own === undefined ? null : { agrees: own.overlays.includes(`${layer}|${value}`) };
      },
    ),
    compare(
      { what: 'hazards on the parcels that they cover', oracle, remark },
      rows.filter((row) => !isOverlay(row)),
      keyOf,
      ({ theme, parcel_id }) => {
        const own = served.get(parcel_id!);
        return own === undefined ? null : { agrees: own.hazards.includes(theme!) };
      },
    ),
    compare(
      { what: 'heritage on no other parcel', oracle },
      [...served.values()],
      ({ key }) => key,
      ({ key, hazards }) => (heritage.has(key) ? null : { agrees: !hazards.includes('heritage') }),
    ),
  ];
};

/** Truth of the sample country: rejects by file and code. */
const rejects: Oracle = async (published, rows, oracle) => {
  const found = await keyed<{ key: string; n: number }>(
    published,
    "SELECT file || '|' || code AS key, count(*)::int AS n FROM control.reject GROUP BY 1",
  );
  // Files are reported without the folders before them; those in an archive with the folders inside it.
  const told = (file: string, code: string): number =>
    [...found.values()].reduce(
      (sum, { key, n }) => (`/${file}|${code}`.endsWith(`/${key}`) ? sum + n : sum),
      0,
    );
  return [
    compare(
      { what: 'rejected rows by file and code', oracle },
      rows,
      ({ file, code }) => `${file} ${code}`,
      ({ file, code, rows: wanted }) => ({ agrees: told(file!, code!) === Number(wanted) }),
    ),
  ];
};

/** What each oracle is held against, by the name of its file. */
export const ORACLES: Readonly<Record<string, Oracle>> = {
  'properties.csv': properties,
  'zone_by_point.csv': zoneByPoint,
  'parcel_area.csv': parcelArea,
  'adjoining.csv': adjoining,
  'planning_parcels.csv': planningParcels,
  'flood.csv': flood,
  'nearest_transport.csv': nearestTransport,
  'sale_address_matches.csv': saleMatches,
  'yarra.csv': labelledTexts,
  'labelled_texts.csv': labelledTexts,
  'rejects.csv': rejects,
};
