/** Members of PROJJSON that are read: https://proj.org/schemas/v0.7/projjson.schema.json. */
interface ProjJson {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly id?: { readonly authority?: unknown; readonly code?: unknown };
  readonly source_crs?: ProjJson;
  readonly components?: readonly ProjJson[];
  readonly base_crs?: ProjJson;
  readonly datum?: ProjJson;
  readonly datum_ensemble?: ProjJson;
  readonly ellipsoid?: Readonly<Record<string, unknown>>;
  readonly prime_meridian?: { readonly name?: unknown; readonly longitude?: unknown };
  readonly conversion?: {
    readonly name?: unknown;
    readonly method?: ProjJson;
    readonly parameters?: readonly { readonly name?: unknown; readonly value?: unknown }[];
  };
  readonly coordinate_system?: { readonly axis?: readonly { readonly unit?: unknown }[] };
}

const quoted = (text: unknown): string => `"${String(text ?? '').replaceAll('"', '""')}"`;
const numberOf = (value: unknown): number =>
  Number(typeof value === 'object' && value !== null && 'value' in value ? value.value : value);

/** Factors of the units that PROJJSON names; others state their own. */
const FACTORS: Readonly<Record<string, number>> = { degree: Math.PI / 180, metre: 1 };

function unitOf({ coordinate_system }: ProjJson, keyword: string): string[] {
  const unit = coordinate_system?.axis?.[0]?.unit;
  if (unit === undefined) return [];
  const { name, conversion_factor } =
    typeof unit === 'object' && unit !== null
      ? (unit as { name?: unknown; conversion_factor?: unknown })
      : { name: unit, conversion_factor: FACTORS[String(unit)] };
  return [`${keyword}[${quoted(name)},${conversion_factor}]`];
}

function datumOf(crs: ProjJson): string[] {
  const datum = crs.datum ?? crs.datum_ensemble;
  if (datum === undefined) return [];
  const { name, semi_major_axis, semi_minor_axis, inverse_flattening } = datum.ellipsoid ?? {};
  const [major, minor] = [numberOf(semi_major_axis), numberOf(semi_minor_axis)];
  const flattening = inverse_flattening ?? (minor < major ? major / (major - minor) : 0);
  const ellipsoid = datum.ellipsoid ? `,ELLIPSOID[${quoted(name)},${major},${flattening}]` : '';
  const { prime_meridian } = datum;
  const meridian = prime_meridian
    ? [`PRIMEM[${quoted(prime_meridian.name)},${numberOf(prime_meridian.longitude)}]`]
    : [];
  return [`DATUM[${quoted(datum.name)}${ellipsoid}]`, ...meridian];
}

/**
 * Writes a coordinate system in PROJJSON as WKT2 with what recogniseCrs reads: names, datum, ellipsoid, prime meridian, units and the
 * parameters of the projection. Bound and compound systems are their horizontal part. Null: of another kind.
 */
export function wktOfProjJson(value: unknown): string | null {
  const crs = (value ?? {}) as ProjJson;
  if (crs.type === 'BoundCRS') return wktOfProjJson(crs.source_crs);
  if (crs.type === 'CompoundCRS') return wktOfProjJson(crs.components?.[0]);
  if (crs.type === 'GeographicCRS' || crs.type === 'GeodeticCRS')
    return `GEOGCRS[${[quoted(crs.name), ...datumOf(crs), ...unitOf(crs, 'ANGLEUNIT')].join(',')}]`;
  if (crs.type !== 'ProjectedCRS') return null;
  const base = crs.base_crs ?? {};
  const { name, method, parameters } = crs.conversion ?? {};
  const conversion = [
    quoted(name),
    `METHOD[${quoted(method?.name)}]`,
    ...(parameters ?? []).map((each) => `PARAMETER[${quoted(each.name)},${numberOf(each.value)}]`),
  ].join(',');
  return `PROJCRS[${[
    quoted(crs.name),
    `BASEGEOGCRS[${[quoted(base.name), ...datumOf(base), ...unitOf(base, 'ANGLEUNIT')].join(',')}]`,
    `CONVERSION[${conversion}]`,
    ...unitOf(crs, 'LENGTHUNIT'),
  ].join(',')}]`;
}
