import { listedInRegister, verdictsOf } from '../../sources/fields/column_filter.ts';
import { findField } from '../../sources/formats/table/columns.ts';
import { NATIONAL } from '../../sources/release/coverage.ts';
import { ZONING_FIELD_MAPS } from '../../sources/zoning/field_maps.ts';
import { ZONE_COLUMN } from '../../sources/zoning/recognition.ts';
import { evidenceFor, hazardOf, isSubject } from './evidence.ts';
import type { InspectedLayer } from './layer_view.ts';
import { bestMatch, columnIn, NAMED_MAPS, type NamedMap } from './named_maps.ts';
import { isRowNumber, lotColumn, parcelSigns, SHOWN } from './parcel_signs.ts';
import { doubtAboutZones } from './zone_doubt.ts';

/** Proposed dataset for a layer or file. */
export interface Proposal {
  readonly adapter: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** What a person must confirm before it is read; absent: nothing. */
  readonly doubt?: string;
}

/** Minimum score of a further map, as a share of the best score, to be proposed next to it. */
const NEAR = 0.75;
/** Minimum score of a map without filter lists. */
const LEAST = 0.6;

/** What a layer may be, with a score for the evidence. */
interface FieldMapCandidate {
  readonly adapter: string;
  /** State of the map; null: any. */
  readonly state: string | null;
  /** Hazard layer of the map; null: not a hazard map, or any. */
  readonly layer: string | null;
  readonly proposal: Proposal;
  readonly score: number;
  /** Whether the map's filter lists know the rows. */
  readonly listed: boolean;
  /** Whether the file or layer is named after the subject. */
  readonly hint: boolean;
}

/** Datasets that fit a layer, and an alternative. */
export interface Proposed {
  /** Likeliest first; empty: no map reads it. */
  readonly proposals: readonly Proposal[];
  /** Likeliest of another adapter than all proposals; null: none. */
  readonly second: Proposal | null;
}

/** Returns the weight of each column of a layer: 1 / number of maps that name it. */
function weightsOf({ columns }: InspectedLayer): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const column of columns) {
    const maps = NAMED_MAPS.filter((map) =>
      map.columns.some((aliases) => findField([column], aliases) !== null),
    );
    if (maps.length > 0) weights.set(column.name, 1 / maps.length);
  }
  return weights;
}

const inState = ({ state }: NamedMap, states: readonly string[]): boolean =>
  state === null || state === NATIONAL || states.length === 0 || states.includes(state);

/**
 * Returns the subject of a map: its hazard layer, control or adapter. A map for any hazard takes the hazard that the layer names; null:
 * none.
 */
function aboutOf(map: NamedMap, layer: InspectedLayer): string | null {
  const control = map.name.slice(map.name.indexOf('_') + 1);
  if (map.adapter === 'overlays' && isSubject(control)) return control;
  if (map.adapter !== 'hazards') return map.adapter;
  return map.layer ?? hazardOf(layer);
}

/** Returns a bonus for a file name with the map's state, and for the ACT, because it is inside another state. */
function ofState({ state }: NamedMap, { file, states }: InspectedLayer): number {
  if (state === null) return 0;
  const isNamed = new RegExp(`(^|[^a-z])${state}(gov|[^a-z]|$)`, 'i').test(file);
  return (isNamed ? 0.25 : 0) + (state === 'ACT' && states.includes('ACT') ? 0.25 : 0);
}

/** Scores a map for a layer by columns that few other maps name, known values and the file name. Null: it does not fit. */
function candidateOf(
  map: NamedMap,
  layer: InspectedLayer,
  weights: ReadonlyMap<string, number>,
): FieldMapCandidate | null {
  const column = columnIn(layer);
  const has = (aliases: readonly string[]): boolean => findField(layer.columns, aliases) !== null;
  const about = aboutOf(map, layer);
  if (about === null) return null;
  const { named, titled, against } = evidenceFor(about, layer);
  const hint = named || titled;
  const isKind = layer.families.length === 0 || map.kinds.some((kind) => layer.families.includes(kind));
  if (!isKind || !inState(map, layer.states) || !map.fits(has)) return null;
  const lists = bestMatch(map, column);
  if (lists !== null && (lists.taken === 0 || lists.known < 0.5)) return null;
  const knownValues = map.knows(column);
  if (map.adapter === 'zoning' && knownValues !== null && knownValues < 0.5) return null;
  const foundValues = new Set(
    map.columns
      .map((aliases) => findField(layer.columns, aliases)?.name)
      .filter((name) => name !== undefined),
  );
  if (foundValues.size === 0 && !(hint && layer.families.length > 0)) return null;
  const columns = [...foundValues].reduce((sum, name) => sum + (weights.get(name) ?? 0), 0);
  // Columns that no other map has. National publishers use theirs in many products.
  const isProduct = columns >= 2 && map.state !== null && map.state !== NATIONAL;
  // A zone may be named after the waterway that it covers: a column of the one product, and known names, say more.
  const isScheme = map.adapter === 'zoning' && map.filters.some(({ optional }) => !optional);
  if (against && !(isScheme && columns >= 1 && (knownValues ?? 0) >= 0.5)) return null;
  // One kind of evidence, such as one column, is not enough.
  const isValued = (knownValues ?? 0) >= 0.5 || (lists?.isOfClass ?? false);
  const hasColumns =
    map.adapter === 'zoning'
      ? columns >= 1 || [...foundValues].some((name) => ZONE_COLUMN.test(name))
      : foundValues.size > 1 ||
        (hint && (foundValues.size === 1 || map.columns.every(({ length }) => length === 0)));
  const kinds = [named, titled, isValued, hasColumns, isProduct].filter(Boolean).length;
  const isWeak = map.adapter === 'overlays' ? map.state === null && !hint : kinds < 2;
  const isNamedHazard = hint && map.adapter === 'hazards';
  if (map.adapter !== 'cadastre' && isWeak && !isNamedHazard) return null;
  const doubt = `Is it a layer of ${about}? Only its name says so.`;
  const score =
    columns + 2 * (lists?.taken ?? 0) + 2 * (knownValues ?? 0) + (hint ? 1 : 0) + ofState(map, layer);
  return {
    adapter: map.adapter,
    state: map.state,
    layer: map.layer,
    proposal: { ...optionsOf(map, layer), ...(isWeak && isNamedHazard ? { doubt } : {}) },
    score: map.state === null ? score * 0.75 : score,
    listed: lists !== null,
    hint,
  };
}

const stateIn = ({ states }: InspectedLayer): string => (states.length === 1 ? states[0]! : '…');

/** Proposes a cadastre with columns of no known publisher, if it has the signs of one. */
function parcelsOf(layer: InspectedLayer): FieldMapCandidate[] {
  const { named: hint, against } = evidenceFor('cadastre', layer);
  if (against) return [];
  const signs = parcelSigns(layer, hint);
  if (signs === null) return [];
  // If no column has lots on plan in a known format, addresses are joined by location.
  const lots = lotColumn(layer.columns, layer.looked, layer.states);
  const id = layer.columns.find(({ name }) => name === signs.id)!;
  // Files number their rows alike, so only the lot tells their parcels apart.
  const parcel_id = lots !== null && isRowNumber(id) ? lots.column : signs.id;
  const field_map = { parcel_id, ...(lots?.field_map ?? { lot_plan: null }) };
  const options = { state: stateIn(layer), field_map };
  const proposal = { adapter: 'cadastre', options };
  return [{ adapter: 'cadastre', state: null, layer: null, proposal, score: signs.met, listed: false, hint }];
}

function optionsOf(map: NamedMap, layer: InspectedLayer): Proposal {
  const { adapter, name } = map;
  const state = map.state ?? stateIn(layer);
  const about = adapter === 'hazards' ? { layer: aboutOf(map, layer) } : {};
  return { adapter, options: { state, ...about, field_map: name } };
}

/** Returns what a person must confirm about the words of a register's status that no list knows; null: nothing. */
function doubtAboutStatus({ adapter, options }: Proposal, layer: InspectedLayer): string | null {
  if (adapter !== 'hazards' || options.layer !== 'heritage') return null;
  const rule = listedInRegister();
  const status = columnIn(layer)(rule.fields);
  const verdict = verdictsOf(rule, true);
  const unknown = [...(status?.values.keys() ?? [])].filter((text) => verdict(text) === 'unknown');
  if (unknown.length === 0) return null;
  const words = unknown.slice(0, SHOWN).map((text) => JSON.stringify(text));
  return `Is a place listed whose ${status!.name} is ${words.join(' or ')}? List the words of listed places in filters of a field_map.`;
}

/** Returns what a person must confirm about the zones that a named map reads; null: nothing. */
function doubtAboutNamedZones({ adapter, options }: Proposal, layer: InspectedLayer): string | null {
  const map = adapter === 'zoning' ? ZONING_FIELD_MAPS[String(options.field_map)] : undefined;
  const column = map === undefined ? null : (columnIn(layer)(map.code) ?? columnIn(layer)(map.name));
  return column === null ? null : (doubtAboutZones(layer, column.name, true) ?? null);
}

/** Proposes the datasets that fit a layer. An overlay layer also yields the hazards that its classes name. */
export function proposeMaps(layer: InspectedLayer): Proposed {
  const weights = weightsOf(layer);
  const namedCandidates = NAMED_MAPS.map((map) => candidateOf(map, layer, weights)).filter(
    (each) => each !== null,
  );
  // If a publisher's hazard maps know the overlay classes of the rows, the layer is overlays and not zones.
  const overlaid = NAMED_MAPS.filter(({ adapter }) => adapter === 'hazards').some(
    (map) =>
      inState(map, layer.states) &&
      map.state !== null &&
      (bestMatch(map, columnIn(layer))?.known ?? 0) >= 0.5,
  );
  const isCadastre = namedCandidates.some(({ adapter }) => adapter === 'cadastre');
  const any = isCadastre ? namedCandidates : [...namedCandidates, ...parcelsOf(layer)];
  const sure = any.filter(({ proposal }) => proposal.doubt === undefined);
  const all = sure.length > 0 ? sure : any;
  // A layer of another subject may have the columns of the parcels on which it was drawn.
  const isOther = all.some(({ adapter, hint }) => hint && adapter === 'hazards');
  const candidates = all
    .map((each) => (overlaid && each.adapter === 'overlays' ? { ...each, score: each.score + 1 } : each))
    .filter(
      ({ adapter, hint, score, listed: isListed }) =>
        (isListed || score >= LEAST) &&
        !(overlaid && adapter === 'zoning') &&
        !(isOther && !hint && adapter === 'cadastre'),
    )
    .filter(({ adapter, listed: isListed }) => !overlaid || isListed || adapter === 'overlays')
    .sort((a, b) => b.score - a.score);
  const best = candidates[0];
  if (best === undefined) return { proposals: [], second: null };
  const alternatives = candidates.filter(
    (each) =>
      each !== best &&
      (overlaid || each.score >= best.score * NEAR) &&
      each.state === best.state &&
      (each.adapter !== best.adapter || (overlaid && each.layer !== best.layer)),
  );
  const chosen = [best, ...alternatives];
  const other = candidates.find((each) => !chosen.some(({ adapter }) => adapter === each.adapter));
  const kinds = [...new Set(chosen.map(({ adapter }) => adapter))];
  // An overlay may also be a hazard; other kinds exclude each other.
  const isOne = kinds.length === 1 || kinds.every((kind) => kind === 'overlays' || kind === 'hazards');
  const close = isOne ? {} : { doubt: `Which is it: ${kinds.join(' or ')}? As much speaks for each.` };
  const withDoubt = (proposal: Proposal): Proposal => {
    const doubt = doubtAboutStatus(proposal, layer) ?? doubtAboutNamedZones(proposal, layer);
    return { ...proposal, ...(doubt === null ? {} : { doubt }), ...close };
  };
  return {
    proposals: chosen.map(({ proposal }) => withDoubt(proposal)),
    second: other?.proposal ?? null,
  };
}
