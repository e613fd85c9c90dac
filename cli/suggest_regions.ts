import { distance } from 'fastest-levenshtein';
import { PROFILE_LEVELS } from '../contract/regions/region.ts';
import type { Serving } from '../schema/serving/database.ts';

const NAMED = 4;

/** The name without what tells it apart from its namesakes: `richmond` of `Richmond (Yarra - Vic.)`. */
const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\s*\(.*$/, '')
    .trim();

/** Words in the brackets of a name: `yarra`, `vic`. */
const inBrackets = (name: string): string[] =>
  (/\((.*)\)/.exec(name.toLowerCase())?.[1] ?? '').split(/[^a-z]+/).filter(Boolean);

/** How far a name is from what was typed: letters of the bare name first, then words in brackets that the name has not. */
function farness(typed: string, name: string): [letters: number, words: number] {
  const has = inBrackets(name);
  return [distance(bare(typed), bare(name)), inBrackets(typed).filter((word) => !has.includes(word)).length];
}

/**
 * Suggests names of suburbs, or regions of a level, for an unknown name, nearest first. Equal names in other states come first (the typed
 * state before others), then names with typos in up to a third of the letters. Cost: reads all names of the level.
 */
export function suggestNames(typed: string, names: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(bare(typed).length / 3));
  return names
    .map((name) => ({ name, far: farness(typed, name) }))
    .filter(({ far }) => far[0] <= limit)
    .sort((a, b) => a.far[0] - b.far[0] || a.far[1] - b.far[1] || (a.name < b.name ? -1 : 1))
    .slice(0, NAMED)
    .map(({ name }) => name);
}

/** The same of the published names of a level; of a level that there is not, none. */
export async function suggestRegions(db: Serving, level: string, typed: string): Promise<string[]> {
  if (!(PROFILE_LEVELS as readonly string[]).includes(level)) return [];
  const [searched, drawn] = await Promise.all([
    db.selectFrom('serving.search_area').select('name').where('level', '=', level).execute(),
    db.selectFrom('serving.region_shape').select('name').where('level', '=', level).execute(),
  ]);
  const names = [...searched, ...drawn].flatMap(({ name }) => (name === null ? [] : [name]));
  return suggestNames(typed, [...new Set(names)]);
}
