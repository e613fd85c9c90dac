import { STATE_NAMES } from '../../schema/states.ts';
import { adapterNamed } from '../../sources/index.ts';
import type { Proposal } from './map_evidence.ts';

/** A possible configuration of a file. */
export interface DatasetCandidate extends Proposal {
  readonly id: string;
}

/** Adapters of national datasets, and adapters whose files name their state. */
const STATELESS = ['gnaf', 'asgs', 'census', 'seifa', 'nsw_psi', 'listings'];

/** Returns the state named in a path: in the file name, else in the nearest folder; null: none. */
export function stateOfPath(path: string): string | null {
  for (const part of path.split('/').reverse()) {
    const words = part.replace(/[^a-z0-9]+/gi, ' ').toLowerCase();
    const stateEntry = Object.entries(STATE_NAMES).find(
      ([state, name]) =>
        ` ${words} `.includes(` ${state.toLowerCase()} `) || words.includes(name.toLowerCase()),
    );
    if (stateEntry !== undefined) return stateEntry[0];
  }
  return null;
}

export const OPEN = '…';

function needsState({ adapter, options }: Proposal): boolean {
  const { state: _state, ...rest } = options;
  try {
    adapterNamed(adapter).checkOptions({ id: adapter, files: [], release: null, crs: null, options: rest });
    return false;
  } catch {
    return true;
  }
}

/** Returns a proposal as a dataset. If the content does not name the state, the path does. */
export function candidateOf({ evidence: _, ...proposal }: Proposal, file: string): DatasetCandidate {
  const { adapter, options } = proposal;
  const { state: told, ...rest } = options;
  const state = !needsState(proposal) ? undefined : told === OPEN ? (stateOfPath(file) ?? OPEN) : told;
  const filled = state === undefined ? rest : { state, ...rest };
  const stateCode =
    typeof state === 'string' ? state : STATELESS.includes(adapter) ? null : stateOfPath(file);
  const control =
    typeof options.field_map === 'string' ? /^\w+?_(\w+)/.exec(options.field_map)?.[1] : undefined;
  const overlay = control === undefined ? 'overlays' : `overlay_${control}`;
  const kinds: Readonly<Record<string, unknown>> = { hazards: options.layer, overlays: overlay };
  const words = [kinds[adapter] ?? adapter, stateCode, options.mode];
  const id = words.filter((word) => word != null).join('_');
  return { ...proposal, id: id.toLowerCase(), options: filled };
}

/** Names the options of a candidate that its content leaves open. */
export function openText(candidate: DatasetCandidate | undefined): string {
  if (candidate === undefined)
    return 'no field map fits its columns: write one (docs/field_maps.md), if a dataset should read it';
  const open = Object.entries(candidate.options).flatMap(([name, value]) =>
    isFilledIn(value) ? [] : [name],
  );
  return `it may be read by the adapter ${candidate.adapter}: its content leaves ${open.join(' and ')} open; set ${open.length === 1 ? 'it' : 'them'} by hand`;
}

export const isFilledIn = (value: unknown): boolean =>
  value === null || typeof value !== 'object' ? value !== OPEN : Object.values(value).every(isFilledIn);
