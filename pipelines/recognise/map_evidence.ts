import { findField } from '../../sources/formats/table/columns.ts';
import { NATIONAL } from '../../sources/release/coverage.ts';
import { ZONE_COLUMN } from '../../sources/zoning/recognition.ts';
import type { InspectedLayer } from './layer_view.ts';
import { bestMatch, columnIn, NAMED_MAPS, type NamedMap } from './named_maps.ts';
import { evidenceFor, hazardOf, isSubject, type SubjectEvidence } from './subject_evidence.ts';

/** Proposed dataset for a layer or file. */
export interface Proposal {
  readonly adapter: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** What a person must confirm before it is read; absent: nothing. */
  readonly doubt?: string;
  /** What speaks for a field map, with the weights that make its score; absent: another kind of proposal. */
  readonly evidence?: readonly string[];
}

/** What a layer may be, with a score for the evidence. */
export interface FieldMapCandidate {
  readonly adapter: string;
  /** State of the map; null: any. */
  readonly state: string | null;
  /** Hazard layer of the map; null: not a hazard map, or any. */
  readonly layer: string | null;
  readonly proposal: Proposal;
  readonly score: number;
  /** Whether the map's filter lists know the rows. */
  readonly isListed: boolean;
  /** Whether the file or layer is named after the subject. */
  readonly isNamed: boolean;
}

/** Returns the weight of each column of a layer: 1 / number of maps that name it. */
export function weightsOf({ columns }: InspectedLayer): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const column of columns) {
    const maps = NAMED_MAPS.filter((map) =>
      map.columns.some((aliases) => findField([column], aliases) !== null),
    );
    if (maps.length > 0) weights.set(column.name, 1 / maps.length);
  }
  return weights;
}

export const inState = ({ state }: NamedMap, states: readonly string[]): boolean =>
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

/** True if the file name has the state of the map. */
const namesState = ({ state }: NamedMap, { file }: InspectedLayer): boolean =>
  state !== null && new RegExp(`(^|[^a-z])${state}(gov|[^a-z]|$)`, 'i').test(file);

/** What a map would find in a layer. */
interface MapFit {
  readonly map: NamedMap;
  readonly layer: InspectedLayer;
  readonly subject: SubjectEvidence;
  /** Whether the file, the layer or a column that names the layer has a word for the subject. */
  readonly isNamed: boolean;
  /** Whether all required columns exist. */
  readonly hasRequired: boolean;
  /** Columns of the layer that the map reads. */
  readonly columns: ReadonlySet<string>;
  /** Sum of the weights of those columns. */
  readonly columnWeight: number;
  /** Filter list of the map that fits best; null: it has none. */
  readonly list: ReturnType<typeof bestMatch>;
  /** Share of rows with a class or name that the map knows; null: it lists none. */
  readonly knownValues: number | null;
}

/** Gathers how well a field map fits a layer: its name, its columns and its values. */
function fitOf(
  map: NamedMap,
  layer: InspectedLayer,
  subjectText: string,
  weights: ReadonlyMap<string, number>,
): MapFit {
  const valuesOf = columnIn(layer);
  const subject = evidenceFor(subjectText, layer);
  const columns = new Set(
    map.columns
      .map((aliases) => findField(layer.columns, aliases)?.name)
      .filter((name) => name !== undefined),
  );
  return {
    map,
    layer,
    subject,
    isNamed: subject.named || subject.titled,
    hasRequired: map.fits((aliases) => findField(layer.columns, aliases) !== null),
    columns,
    columnWeight: [...columns].reduce((sum, name) => sum + (weights.get(name) ?? 0), 0),
    list: bestMatch(map, valuesOf),
    knownValues: map.knows(valuesOf),
  };
}

/** Returns whether most rows have a class or name that the map knows. */
const knowsValues = ({ knownValues }: MapFit): boolean => (knownValues ?? 0) >= 0.5;

/** A zone may be named after the waterway that it covers: a column of the one product, and known names, say more. */
const isScheme = (fit: MapFit): boolean =>
  fit.map.adapter === 'zoning' &&
  fit.map.filters.some(({ optional }) => !optional) &&
  fit.columnWeight >= 1 &&
  knowsValues(fit);

/** Returns whether the columns alone speak for the map. */
function hasTellingColumns({ map, columns, columnWeight, isNamed }: MapFit): boolean {
  if (map.adapter === 'zoning')
    return columnWeight >= 1 || [...columns].some((name) => ZONE_COLUMN.test(name));
  const readsNone = map.columns.every(({ length }) => length === 0);
  return columns.size > 1 || (isNamed && (columns.size === 1 || readsNone));
}

/** Kinds of evidence. One kind, such as one column, is not enough. */
const KINDS: readonly ((fit: MapFit) => boolean)[] = [
  ({ subject }) => subject.named,
  ({ subject }) => subject.titled,
  (fit) => knowsValues(fit) || (fit.list?.isOfClass ?? false),
  hasTellingColumns,
  // Columns that no other map has. National publishers use theirs in many products.
  ({ map, columnWeight }) => columnWeight >= 2 && map.state !== null && map.state !== NATIONAL,
];

function isWeak(fit: MapFit): boolean {
  const { map, isNamed } = fit;
  if (map.adapter === 'cadastre') return false;
  if (map.adapter === 'overlays') return map.state === null && !isNamed;
  return KINDS.filter((applies) => applies(fit)).length < 2;
}

/** A hazard that only its name supports: a person must confirm it. */
const isDoubtful = (fit: MapFit): boolean => fit.map.adapter === 'hazards' && fit.isNamed && isWeak(fit);

/** What rules a map out. */
const EXCLUSIONS: readonly { name: string; applies: (fit: MapFit) => boolean }[] = [
  {
    name: 'shapes of another kind',
    applies: ({ map, layer }) =>
      layer.families.length > 0 && !map.kinds.some((kind) => layer.families.includes(kind)),
  },
  { name: 'another state', applies: ({ map, layer }) => !inState(map, layer.states) },
  { name: 'a required column is missing', applies: ({ hasRequired }) => !hasRequired },
  {
    name: 'its lists take none of the rows, or know less than half of them',
    applies: ({ list }) => list !== null && (list.taken === 0 || list.known < 0.5),
  },
  {
    name: 'the zones are of another scheme',
    applies: (fit) => fit.map.adapter === 'zoning' && fit.knownValues !== null && !knowsValues(fit),
  },
  {
    name: 'no column that it reads',
    applies: ({ columns, isNamed, layer }) => columns.size === 0 && !(isNamed && layer.families.length > 0),
  },
  {
    name: 'the name or the size of the shapes is of another subject',
    applies: (fit) => fit.subject.against && !isScheme(fit),
  },
  { name: 'one kind of evidence alone', applies: (fit) => isWeak(fit) && !isDoubtful(fit) },
];

/** What speaks for a map. Its score is the sum of the weights; a map of any state counts three quarters of it. */
const EVIDENCE: readonly { name: string; weight: (fit: MapFit) => number }[] = [
  { name: 'columns that few other maps read', weight: ({ columnWeight }) => columnWeight },
  { name: 'rows that its lists take', weight: ({ list }) => 2 * (list?.taken ?? 0) },
  { name: 'classes or names that it knows', weight: ({ knownValues }) => 2 * (knownValues ?? 0) },
  { name: 'named after the subject', weight: ({ isNamed }) => (isNamed ? 1 : 0) },
  { name: 'named after the state', weight: ({ map, layer }) => (namesState(map, layer) ? 0.25 : 0) },
  {
    name: 'in the ACT, which is inside another state',
    weight: ({ map, layer }) => (map.state === 'ACT' && layer.states.includes('ACT') ? 0.25 : 0),
  },
];
/** Share of the score of a map of any state. */
const ANY_STATE_SHARE = 0.75;

/** Scores a map for a layer. Null: something rules it out. */
export function fieldMapCandidate(
  map: NamedMap,
  layer: InspectedLayer,
  weights: ReadonlyMap<string, number>,
): FieldMapCandidate | null {
  const about = aboutOf(map, layer);
  if (about === null) return null;
  const fit = fitOf(map, layer, about, weights);
  if (EXCLUSIONS.some(({ applies }) => applies(fit))) return null;
  const rows = EVIDENCE.map(({ name, weight }) => ({ name, weight: weight(fit) })).filter(
    ({ weight }) => weight > 0,
  );
  const sum = rows.reduce((total, { weight }) => total + weight, 0);
  const doubt = `Is it a layer of ${about}? Only its name says so.`;
  return {
    adapter: map.adapter,
    state: map.state,
    layer: map.layer,
    proposal: {
      ...optionsOf(map, layer),
      ...(isDoubtful(fit) ? { doubt } : {}),
      evidence: rows.map(({ name, weight }) => `${name}: ${weight.toFixed(2)}`),
    },
    score: map.state === null ? sum * ANY_STATE_SHARE : sum,
    isListed: fit.list !== null,
    isNamed: fit.isNamed,
  };
}

export const stateIn = ({ states }: InspectedLayer): string => (states.length === 1 ? states[0]! : '…');

function optionsOf(map: NamedMap, layer: InspectedLayer): Proposal {
  const { adapter, name } = map;
  const state = map.state ?? stateIn(layer);
  const about = adapter === 'hazards' ? { layer: aboutOf(map, layer) } : {};
  return { adapter, options: { state, ...about, field_map: name } };
}
