/** Datum of a coordinate system; it decides the shift to GDA2020. */
export type Datum = 'GDA94' | 'GDA2020' | 'WGS84';

/** Projection of a known coordinate system: angles in degrees, lengths in metres. */
export interface Projection {
  readonly method: 'transverse_mercator' | 'lambert_conformal_conic' | 'albers' | 'web_mercator';
  readonly lon0: number;
  readonly lat0: number;
  /** Standard parallels of the conic methods. */
  readonly sp1?: number;
  readonly sp2?: number;
  readonly scale?: number;
  readonly x0: number;
  readonly y0: number;
}

/** A coordinate system that the pipeline can read. `projection` null: geographic degrees. */
export interface KnownCrs {
  readonly epsg: number;
  readonly datum: Datum;
  readonly name: string;
  readonly projection: Projection | null;
}

const mga = (zone: number): Projection => ({
  method: 'transverse_mercator',
  lon0: zone * 6 - 183,
  lat0: 0,
  scale: 0.9996,
  x0: 500_000,
  y0: 10_000_000,
});

const conic = (
  method: 'lambert_conformal_conic' | 'albers',
  [lon0, lat0, sp1, sp2, x0, y0]: readonly [number, number, number, number, number, number],
): Projection => ({ method, lon0, lat0, sp1, sp2, x0, y0 });

/** Projections that exist on both datums: [EPSG on GDA94, EPSG on GDA2020, name, projection]. */
const ON_BOTH_DATUMS: readonly (readonly [number, number, string, Projection])[] = [
  ...[49, 50, 51, 52, 53, 54, 55, 56].map(
    (zone) => [28300 + zone, 7800 + zone, `MGA zone ${zone}`, mga(zone)] as const,
  ),
  [3111, 7899, 'VicGrid', conic('lambert_conformal_conic', [145, -37, -36, -38, 2_500_000, 2_500_000])],
  [
    3308,
    8058,
    'NSW Lambert',
    conic('lambert_conformal_conic', [147, -33.25, -30.75, -35.75, 9_300_000, 4_500_000]),
  ],
  [3107, 8059, 'SA Lambert', conic('lambert_conformal_conic', [135, -32, -28, -36, 1_000_000, 2_000_000])],
  [3112, 7845, 'GA Lambert', conic('lambert_conformal_conic', [134, 0, -18, -36, 0, 0])],
  [3577, 9473, 'Australian Albers', conic('albers', [132, 0, -18, -36, 0, 0])],
];

/** Every supported coordinate system, by EPSG number. Source: the EPSG registry. */
export const KNOWN_CRS: readonly KnownCrs[] = [
  { epsg: 4283, datum: 'GDA94', name: 'GDA94', projection: null },
  { epsg: 7844, datum: 'GDA2020', name: 'GDA2020', projection: null },
  { epsg: 4326, datum: 'WGS84', name: 'WGS 84', projection: null },
  {
    epsg: 3857,
    datum: 'WGS84',
    name: 'WGS 84 / Web Mercator',
    projection: { method: 'web_mercator', lon0: 0, lat0: 0, x0: 0, y0: 0 },
  },
  ...ON_BOTH_DATUMS.flatMap(([gda94, gda2020, name, projection]) => [
    { epsg: gda94, datum: 'GDA94' as const, name: `GDA94 / ${name}`, projection },
    { epsg: gda2020, datum: 'GDA2020' as const, name: `GDA2020 / ${name}`, projection },
  ]),
];

/** Old and vendor numbers of the same systems. */
const SYNONYMS: Readonly<Record<number, number>> = { 102100: 3857, 102113: 3857, 900913: 3857 };

/** Returns the known system of an EPSG (or Esri) number. Undefined: unknown. */
export function crsOfNumber(number: number): KnownCrs | undefined {
  const epsg = SYNONYMS[number] ?? number;
  return KNOWN_CRS.find((crs) => crs.epsg === epsg);
}

/** Returns the proj4 definition of a projection, without any datum shift. */
export function projString(p: Projection): string {
  const origin = `+lat_0=${p.lat0} +lon_0=${p.lon0} +x_0=${p.x0} +y_0=${p.y0} +units=m +no_defs`;
  switch (p.method) {
    case 'transverse_mercator':
      return `+proj=tmerc +ellps=GRS80 +k=${p.scale ?? 1} ${origin}`;
    case 'lambert_conformal_conic':
      return `+proj=lcc +ellps=GRS80 +lat_1=${p.sp1} +lat_2=${p.sp2} ${origin}`;
    case 'albers':
      return `+proj=aea +ellps=GRS80 +lat_1=${p.sp1} +lat_2=${p.sp2} ${origin}`;
    case 'web_mercator':
      return `+proj=merc +a=6378137 +b=6378137 +k=1 ${origin}`;
  }
}
