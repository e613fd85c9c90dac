import proj4 from 'proj4';
import { EtlError } from '../../schema/errors.ts';
import {
  crsOfNumber,
  type Datum,
  KNOWN_CRS,
  type KnownCrs,
  type Projection,
  projString,
} from './crs_table.ts';
import { gda94ToGda2020 } from './datum.ts';
import type { DatumShift } from './ntv2.ts';
import { findWkt, parseWkt, type WktNode, wktAuthority, wktName, wktNumber } from './wkt.ts';

/** A recognised coordinate reference system. */
export interface Crs {
  /** Always in the format `EPSG:7844`. */
  readonly id: string;
  readonly datum: Datum;
  /** True: metres; false: degrees. */
  readonly projected: boolean;
  readonly name: string;
}

const asCrs = (knownCrs: KnownCrs): Crs => ({
  id: `EPSG:${knownCrs.epsg}`,
  datum: knownCrs.datum,
  projected: knownCrs.projection !== null,
  name: knownCrs.name,
});

/** Returns the datum in a name. Null: none. */
function datumOfName(name: string): Datum | null {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (/gda2020|geocentricdatumofaustralia2020/.test(plain)) return 'GDA2020';
  if (/gda(19)?94|geocentricdatumofaustralia1994|vicgrid94/.test(plain)) return 'GDA94';
  if (/wgs(19)?84|worldgeodeticsystem1984/.test(plain)) return 'WGS84';
  return null;
}

/** Names of the projection methods as spelled by Esri, OGC and ISO, without punctuation. */
const METHODS: readonly (readonly [RegExp, Projection['method']])[] = [
  [/^(transversemercator|gausskruger)/, 'transverse_mercator'],
  [/^lambert(conformalconic|conicconformal)(2sp)?$/, 'lambert_conformal_conic'],
  [/^albers/, 'albers'],
  [/^(mercatorauxiliarysphere|popularvisualisationpseudomercator)$/, 'web_mercator'],
];

/** Parameter names in the three spellings, without punctuation. */
const PARAMETERS: Readonly<Record<string, keyof Projection>> = {
  centralmeridian: 'lon0',
  longitudeofcenter: 'lon0',
  longitudeofnaturalorigin: 'lon0',
  longitudeoffalseorigin: 'lon0',
  latitudeoforigin: 'lat0',
  latitudeofcenter: 'lat0',
  latitudeofnaturalorigin: 'lat0',
  latitudeoffalseorigin: 'lat0',
  standardparallel1: 'sp1',
  latitudeof1ststandardparallel: 'sp1',
  standardparallel2: 'sp2',
  latitudeof2ndstandardparallel: 'sp2',
  scalefactor: 'scale',
  scalefactoratnaturalorigin: 'scale',
  falseeasting: 'x0',
  eastingatfalseorigin: 'x0',
  falsenorthing: 'y0',
  northingatfalseorigin: 'y0',
};

const plainWord = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

type Fail = (why: string) => never;

/** Returns the datum of the geographic part; all names that contain a datum must agree. */
function datumOf(geographic: WktNode, names: readonly string[], fail: Fail): Datum {
  const datumNode = findWkt(geographic, 'DATUM', 'ENSEMBLE', 'GEODETICDATUM', 'TRF');
  const datum = datumOfName(wktName(datumNode)) ?? crsOfNumber(wktAuthority(geographic) ?? 0)?.datum;
  if (!datum) fail(`its datum "${wktName(datumNode)}" is not one of GDA94, GDA2020, WGS84`);
  for (const name of names) {
    const namedDatum = datumOfName(name);
    if (namedDatum && namedDatum !== datum) fail(`the name "${name}" contradicts its datum ${datum}`);
  }
  const axis =
    findWkt(geographic, 'SPHEROID', 'ELLIPSOID')?.values.filter((v) => typeof v === 'number') ?? [];
  if (axis.length >= 2 && (Math.abs(axis[0]! - 6_378_137) > 0.1 || Math.abs(axis[1]! - 298.2572) > 0.001)) {
    fail(`its ellipsoid ${axis.join(', ')} is neither GRS80 nor WGS84`);
  }
  const meridian = findWkt(geographic, 'PRIMEM', 'PRIMEMERIDIAN');
  if (meridian && wktNumber(meridian) !== 0)
    fail(`its prime meridian ${wktNumber(meridian)} is not Greenwich`);
  return datum;
}

/** Returns the unit factor of the node's own coordinates, not of an inner system. Null: none stated. */
function unitFactor(node: WktNode): number | null {
  const ownUnit = node.children.find((c) => ['UNIT', 'LENGTHUNIT', 'ANGLEUNIT'].includes(c.keyword));
  const axis = node.children.find((c) => c.keyword === 'AXIS');
  const unit = ownUnit ?? (axis && findWkt(axis, 'LENGTHUNIT', 'ANGLEUNIT'));
  return unit ? wktNumber(unit) : null;
}

/** Returns whether all stated parameters equal the known projection's. */
function parametersFit(parameters: ReadonlyMap<keyof Projection, number>, p: Projection): boolean {
  const close = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;
  for (const key of ['lon0', 'lat0', 'x0', 'y0'] as const) {
    if (parameters.has(key) && !close(parameters.get(key)!, p[key])) return false;
  }
  // Web Mercator is always stated with a parallel of 0 and a scale of 1, which carry no information.
  if (p.method === 'web_mercator') return !parameters.has('sp1') || parameters.get('sp1') === 0;
  if (parameters.has('scale') && !close(parameters.get('scale')!, p.scale ?? 1)) return false;
  if (p.sp1 === undefined || p.sp2 === undefined) return true;
  const parallels = [parameters.get('sp1') ?? p.sp1, parameters.get('sp2') ?? p.sp2].sort((a, b) => a - b);
  const standardParallels = [p.sp1, p.sp2].sort((a, b) => a - b);
  return parallels.every((value, i) => close(value, standardParallels[i]!));
}

function recogniseProjected(node: WktNode, fail: Fail): KnownCrs {
  const geographic = findWkt(node, 'GEOGCS', 'BASEGEOGCRS', 'BASEGEODCRS', 'GEOGCRS', 'GEODCRS');
  if (!geographic) fail('it has no geographic base');
  const name = wktName(node);
  const datum = datumOf(geographic, [name, wktName(geographic)], fail);
  const factor = unitFactor(node);
  if (factor !== null && Math.abs(factor - 1) > 1e-12) fail(`its unit is ${factor} m, not the metre`);
  const methodName = wktName(findWkt(node, 'PROJECTION', 'METHOD'));
  const isWeb = /3857|pseudo-?mercator|web_?mercator/i.test(name);
  const knownMethod = METHODS.find(([pattern]) => pattern.test(plainWord(methodName)))?.[1];
  const method = knownMethod ?? (isWeb && /^mercator/i.test(methodName) ? 'web_mercator' : undefined);
  if (!method) fail(`its projection "${methodName}" is not known`);
  const statedParameters = new Map<keyof Projection, number>();
  for (const scope of [node, ...node.children.filter((c) => c.keyword === 'CONVERSION')]) {
    for (const child of scope.children) {
      const key = child.keyword === 'PARAMETER' ? PARAMETERS[plainWord(wktName(child))] : undefined;
      if (key) statedParameters.set(key, wktNumber(child));
    }
  }
  if (method !== 'web_mercator' && !statedParameters.has('lon0')) fail('it states no central meridian');
  const fits = KNOWN_CRS.filter(
    (crs) =>
      crs.datum === datum &&
      crs.projection?.method === method &&
      parametersFit(statedParameters, crs.projection),
  );
  if (fits.length !== 1) fail(`its parameters on ${datum} fit no known projection`);
  const zone = /zone[ _]*([0-9]{1,2})/i.exec(name)?.[1];
  if (zone && !fits[0]!.name.endsWith(` ${zone}`)) fail(`the name "${name}" contradicts its parameters`);
  return fits[0]!;
}

function recogniseGeographic(node: WktNode, fail: Fail): KnownCrs {
  const datum = datumOf(node, [wktName(node)], fail);
  const factor = unitFactor(node);
  if (factor !== null && Math.abs(factor - Math.PI / 180) > 1e-9) fail('its unit is not the degree');
  return KNOWN_CRS.find((crs) => crs.datum === datum && crs.projection === null)!;
}

/** A number with its authority, as short name, URN or address. */
const NUMBERED =
  /^(?:urn:ogc:def:crs:|https?:\/\/www\.opengis\.net\/def\/crs\/)?(?:EPSG|ESRI)(?:[:/][0-9.]*)?[:/]([0-9]{4,6})$/i;

/**
 * Recognises the coordinate system of a text: `EPSG:n` (also as URN or address), `OGC:CRS84`, or the content of a .prj in WKT1
 * (Esri, OGC) or WKT2. Parameters decide, names only confirm; an EPSG number that contradicts them is rejected.
 * Coordinates are x before y (longitude before latitude) whatever the axis order in the text.
 * @throws EtlError `unknown_crs`, naming `file`, if the system is uncertain
 */
export function recogniseCrs(text: string, file: string): Crs {
  const fail: Fail = (why) => {
    const start = text.trim().replace(/\s+/g, ' ').slice(0, 120);
    throw new EtlError(
      'unknown_crs',
      `${file}: coordinate system not recognised: ${why}. It begins: ${JSON.stringify(start)}. State it in the configuration, for example crs: EPSG:7844.`,
      { details: { file, text: text.slice(0, 1000) } },
    );
  };
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (
    /^((https?:\/\/www\.opengis\.net\/def\/crs|urn:ogc:def:crs)[/:])?OGC[/:]([0-9.]*[/:])?CRS84$/i.test(
      trimmed,
    )
  )
    return asCrs(crsOfNumber(4326)!);
  const number = NUMBERED.exec(trimmed)?.[1];
  if (number)
    return asCrs(crsOfNumber(Number(number)) ?? fail(`number ${number} is not in the list of known systems`));
  const root =
    parseWkt(trimmed) ??
    fail(trimmed === '' ? 'the text is empty' : 'it is neither EPSG:n nor well-known text');
  const node =
    findWkt(root, 'PROJCS', 'PROJCRS', 'PROJECTEDCRS') ??
    findWkt(root, 'GEOGCS', 'GEOGCRS', 'GEOGRAPHICCRS', 'GEODCRS') ??
    fail(`it is a ${root.keyword}, neither geographic nor projected`);
  const knownCrs = node.keyword.startsWith('PROJ')
    ? recogniseProjected(node, fail)
    : recogniseGeographic(node, fail);
  const authority = wktAuthority(node);
  if (authority !== null && crsOfNumber(authority)?.epsg !== knownCrs.epsg) {
    fail(`it states EPSG:${authority} but describes EPSG:${knownCrs.epsg} (${knownCrs.name})`);
  }
  return asCrs(knownCrs);
}

const RAD = Math.PI / 180;

function knownOf(crs: Crs): KnownCrs {
  const knownCrs = crsOfNumber(Number(crs.id.replace('EPSG:', '')));
  if (!knownCrs) throw new EtlError('unknown_crs', `${crs.id} is not in the list of known systems.`);
  return knownCrs;
}

/**
 * Returns a function that converts flat x, y pairs to GDA2020 degrees [lon, lat] in place. GDA94 is shifted by `ofGda94`: the national seven
 * parameters, or a grid. WGS84 is treated as GDA2020 (they differ by centimetres, depending on the survey date). A position that cannot be
 * unprojected becomes NaN.
 */
export function toGda2020(crs: Crs, ofGda94: DatumShift = gda94ToGda2020): DatumShift {
  const { projection, datum } = knownOf(crs);
  const shift = datum === 'GDA94' ? ofGda94 : null;
  if (!projection) return (coords) => shift?.(coords);
  const proj = proj4.Proj(projString(projection));
  return (coords) => {
    for (let i = 0; i < coords.length; i += 2) {
      const point = proj.inverse({ x: coords[i]!, y: coords[i + 1]! }) as unknown as {
        x: number;
        y: number;
      } | null;
      coords[i] = point ? point.x / RAD : Number.NaN;
      coords[i + 1] = point ? point.y / RAD : Number.NaN;
    }
    shift?.(coords);
  };
}
