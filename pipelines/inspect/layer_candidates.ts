import { HAZARD_LAYERS, type HazardLayer } from '../../schema/records/hazard.ts';
import { defaultFieldMap, HAZARD_FIELD_MAPS } from '../../sources/hazards/field_maps.ts';
import type { LayerView } from './file_view.ts';
import { fittingMaps } from './map_fits.ts';

/** How a file could be configured. */
export interface Candidate {
  /** Name of the dataset. */
  readonly id: string;
  readonly adapter: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What publishers call the files of a hazard. */
const HAZARD_NAMES: readonly [HazardLayer, RegExp][] = [
  ['bushfire', /bush.?fire|BFPL|OBRM/i],
  ['historical_flood', /flood.*(hist|record|extent.?(19|20)\d\d)|hist.*flood/i],
  ['flood', /flood/i],
  ['heritage', /heritage|state.register/i],
  ['landslide', /land.?sli[dp]/i],
  ['erosion', /erosion/i],
  ['environment', /acid|sulfate|sulphate|contaminat|environment/i],
  ['hv_power_line', /transmission|power.?line/i],
  ['mobile_black_spot', /black.?spot/i],
];
const CADASTRE_NAME = /parcel|cadas|(^|[^a-z])lots?([^a-z]|$)|blocks|dcdb|lgate.?(001|217)/i;
const ZONING_NAME = /zon(e|es|ing)([^a-z]|$)/i;
const OVERLAY_NAME = /overlay|r.?codes/i;
/** One control of an instrument in each file, told by its columns. */
const CONTROL_NAME = /^EPI_/i;
const STOP_NAME = /(^|[^a-z])(stops?|stations?)([^a-z]|$)/i;
const MODES: readonly [string, RegExp][] = [
  ['bus', /bus|coach/i],
  ['tram', /tram|light.?rail/i],
  ['train', /train|rail/i],
  ['ferry', /ferry|wharf/i],
];
/** Columns of OpenStreetMap's tags, of which two tell it. */
const OSM_COLUMNS = ['amenity', 'shop', 'leisure', 'natural', 'railway', 'public_transport'];

/** Maps of a layer for a state, the default one first; those that are named after no state are for all of them. */
function hazardMaps(state: string, layer: HazardLayer): string[] {
  const isOfState = (name: string): boolean =>
    name.startsWith(`${state.toLowerCase()}_`) || !/^(act|au|nsw|nt|qld|sa|tas|vic|wa)_/.test(name);
  const others = Object.entries(HAZARD_FIELD_MAPS).filter(
    ([name, map]) => map.layer === layer && isOfState(name),
  );
  return [...new Set([defaultFieldMap(state, layer), ...others.map(([name]) => name), 'generic'])];
}

function hazardCandidates(name: string, state: string | null, fits: readonly string[]): Candidate[] {
  const named = HAZARD_NAMES.find(([, pattern]) => pattern.test(name))?.[0];
  const of = (layer: HazardLayer, place: string): Candidate[] => {
    const map =
      hazardMaps(place, layer).find((each) => fits.includes(each)) ??
      (layer === named ? defaultFieldMap(place, layer) : undefined);
    // Another file than the one that is named for it says that it is by what it filters.
    if (
      map === undefined ||
      (layer !== named && HAZARD_FIELD_MAPS[map]!.filters.every(({ optional }) => optional))
    )
      return [];
    const options = {
      state: place,
      layer,
      ...(map === defaultFieldMap(place, layer) ? {} : { field_map: map }),
    };
    return [{ id: `${layer}_${place.toLowerCase()}`, adapter: 'hazards', options }];
  };
  if (state === null) {
    const isNational = named !== undefined && `au_${named}` in HAZARD_FIELD_MAPS;
    return isNational ? of(named, 'AU') : [];
  }
  return HAZARD_LAYERS.filter(
    (layer) => (layer !== 'public_housing' && layer !== 'historical_flood') || layer === named,
  ).flatMap((layer) => of(layer, state));
}

function overlayCandidates(name: string, state: string | null, fits: readonly string[]): Candidate[] {
  if (state === null || !(OVERLAY_NAME.test(name) || CONTROL_NAME.test(name))) return [];
  const own = state.toLowerCase();
  const map = fits.find((each) => each === own || each.startsWith(`${own}_`));
  if (map === undefined && CONTROL_NAME.test(name)) return [];
  const control = map?.slice(own.length + 1) ?? '';
  return [
    {
      id: control === '' ? `overlays_${own}` : `overlay_${control}_${own}`,
      adapter: 'overlays',
      options: { state, ...(control === '' ? {} : { field_map: map }) },
    },
  ];
}

/** A layer of parcels or of zones, whose map is that of its state. */
function landCandidates(
  adapter: 'cadastre' | 'zoning',
  state: string | null,
  fits: readonly string[],
): Candidate[] {
  const place =
    state ??
    (fits.length === 1 && fits[0] !== 'generic' ? fits[0]!.slice(0, 3).replace('_', '').toUpperCase() : null);
  if (place === null) return [];
  const own = place.toLowerCase();
  // The adapter takes the map of the state, or the generic one, by itself; another one where that is the one that fits.
  const other = fits.includes(own) ? undefined : fits.find((each) => each.startsWith(`${own}_`));
  const options = { state: place, ...(other === undefined ? {} : { field_map: other }) };
  return [{ id: `${adapter}_${own}`, adapter, options }];
}

/** Whether a file is named as parcels or zones are, which may name the regions that they lie in too. */
export const saysLand = (name: string): boolean => CADASTRE_NAME.test(name) || ZONING_NAME.test(name);

/** How a layer of features could be read, judged by its name, its columns and the state; several where a file holds several things. */
export function layerCandidates(name: string, state: string | null, view: LayerView): Candidate[] {
  const columns = view.columns.map((column) => column.name);
  if (OSM_COLUMNS.filter((column) => columns.includes(column)).length > 1)
    return [{ id: state === null ? 'places' : `places_${state.toLowerCase()}`, adapter: 'osm', options: {} }];
  const fits = fittingMaps(view.columns);
  if (STOP_NAME.test(name)) {
    const mode = MODES.find(([, pattern]) => pattern.test(name))?.[0];
    const id = ['stops', state?.toLowerCase(), mode].filter((each) => each !== undefined).join('_');
    return [{ id, adapter: 'stops', options: mode === undefined ? {} : { mode } }];
  }
  const isControl = CONTROL_NAME.test(name) && !ZONING_NAME.test(name);
  if (CADASTRE_NAME.test(name) && !isControl) return landCandidates('cadastre', state, fits.cadastre);
  if (ZONING_NAME.test(name)) return landCandidates('zoning', state, fits.zoning);
  return [...overlayCandidates(name, state, fits.overlays), ...hazardCandidates(name, state, fits.hazards)];
}
