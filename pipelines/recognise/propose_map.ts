import { listedInRegister, verdictsOf } from '../../sources/fields/column_filter.ts';
import { ZONING_FIELD_MAPS } from '../../sources/zoning/field_maps.ts';
import type { InspectedLayer } from './layer_view.ts';
import {
  type FieldMapCandidate,
  fieldMapCandidate,
  inState,
  type Proposal,
  stateIn,
  weightsOf,
} from './map_evidence.ts';
import { bestMatch, columnIn, NAMED_MAPS } from './named_maps.ts';
import { isRowNumber, lotColumn, parcelSigns, SHOWN } from './parcel_signs.ts';
import { evidenceFor } from './subject_evidence.ts';
import { doubtAboutZones } from './zone_doubt.ts';

/** Minimum score of a further map, as a share of the best score, to be proposed next to it. */
const NEAR = 0.75;
/** Minimum score of a map without filter lists. */
const LEAST = 0.6;

/** Datasets that fit a layer, and an alternative. */
export interface Proposed {
  /** Likeliest first; empty: no map reads it. */
  readonly proposals: readonly Proposal[];
  /** Likeliest of another adapter than all proposals; null: none. */
  readonly second: Proposal | null;
}

/** Proposes a cadastre with columns of no known publisher, if it has the signs of one. */
function parcelsOf(layer: InspectedLayer): FieldMapCandidate[] {
  const { named: isNamed, against } = evidenceFor('cadastre', layer);
  if (against) return [];
  const signs = parcelSigns(layer, isNamed);
  if (signs === null) return [];
  // If no column has lots on plan in a known format, addresses are joined by location.
  const lots = lotColumn(layer.columns, layer.looked, layer.states);
  const id = layer.columns.find(({ name }) => name === signs.id)!;
  // Files number their rows alike, so only the lot tells their parcels apart.
  const parcel_id = lots !== null && isRowNumber(id) ? lots.column : signs.id;
  const field_map = { parcel_id, ...(lots?.field_map ?? { lot_plan: null }) };
  const options = { state: stateIn(layer), field_map };
  const proposal = { adapter: 'cadastre', options };
  return [
    { adapter: 'cadastre', state: null, layer: null, proposal, score: signs.met, isListed: false, isNamed },
  ];
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

/** True if a publisher's hazard maps know the overlay classes of the rows: the layer is overlays and not zones. */
const isOverlaid = (layer: InspectedLayer): boolean =>
  NAMED_MAPS.some(
    (map) =>
      map.adapter === 'hazards' &&
      map.state !== null &&
      inState(map, layer.states) &&
      (bestMatch(map, columnIn(layer))?.known ?? 0) >= 0.5,
  );

/** Candidates without those that others rule out, best first. */
function rankedCandidates(layer: InspectedLayer, overlaid: boolean): FieldMapCandidate[] {
  const weights = weightsOf(layer);
  const namedCandidates = NAMED_MAPS.map((map) => fieldMapCandidate(map, layer, weights)).filter(
    (candidate) => candidate !== null,
  );
  const isCadastre = namedCandidates.some(({ adapter }) => adapter === 'cadastre');
  const any = isCadastre ? namedCandidates : [...namedCandidates, ...parcelsOf(layer)];
  const sure = any.filter(({ proposal }) => proposal.doubt === undefined);
  const candidates = sure.length > 0 ? sure : any;
  // A layer of another subject may have the columns of the parcels on which it was drawn.
  const isNamedHazard = candidates.some(({ adapter, isNamed }) => isNamed && adapter === 'hazards');
  const scoreOf = ({ adapter, score }: FieldMapCandidate): number =>
    overlaid && adapter === 'overlays' ? score + 1 : score;
  const isPossible = (candidate: FieldMapCandidate): boolean => {
    const { adapter, isListed, isNamed } = candidate;
    if (!isListed && scoreOf(candidate) < LEAST) return false;
    if (isNamedHazard && !isNamed && adapter === 'cadastre') return false;
    return !overlaid || adapter === 'overlays' || (isListed && adapter !== 'zoning');
  };
  return candidates
    .filter(isPossible)
    .map((candidate) => ({ ...candidate, score: scoreOf(candidate) }))
    .sort((a, b) => b.score - a.score);
}

/** Proposes the datasets that fit a layer. An overlay layer also yields the hazards that its classes name. */
export function proposeMaps(layer: InspectedLayer): Proposed {
  const overlaid = isOverlaid(layer);
  const candidates = rankedCandidates(layer, overlaid);
  const best = candidates[0];
  if (best === undefined) return { proposals: [], second: null };
  const alternatives = candidates.filter(
    (candidate) =>
      candidate !== best &&
      (overlaid || candidate.score >= best.score * NEAR) &&
      candidate.state === best.state &&
      (candidate.adapter !== best.adapter || (overlaid && candidate.layer !== best.layer)),
  );
  const chosen = [best, ...alternatives];
  const kinds = [...new Set(chosen.map(({ adapter }) => adapter))];
  const second = candidates.find(({ adapter }) => !kinds.includes(adapter))?.proposal ?? null;
  // An overlay may also be a hazard; other kinds exclude each other.
  const isOne = kinds.length === 1 || kinds.every((kind) => kind === 'overlays' || kind === 'hazards');
  const close = isOne ? {} : { doubt: `Which is it: ${kinds.join(' or ')}? As much speaks for each.` };
  const withDoubt = (proposal: Proposal): Proposal => {
    const doubt = doubtAboutStatus(proposal, layer) ?? doubtAboutNamedZones(proposal, layer);
    return { ...proposal, ...(doubt === null ? {} : { doubt }), ...close };
  };
  return { proposals: chosen.map(({ proposal }) => withDoubt(proposal)), second };
}
