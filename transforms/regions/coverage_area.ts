import { WHOLE_STATE } from '../../schema/records/coverage.ts';

/** Area that a source covers by name. */
export interface CoverageArea {
  theme: string;
  state: string;
  area: string;
}

/** Returns a function that gives the themes covered by name for a state and an LGA, sorted. `lga` null: not located, so only whole states count. */
export function coveredByName(
  areas: readonly CoverageArea[],
): (state: string, lga: string | null) => ReadonlySet<string> {
  const byPlace = new Map<string, Set<string>>();
  for (const { theme, state, area } of areas) {
    const key = `${state}|${area}`;
    const themes = byPlace.get(key);
    if (themes) themes.add(theme);
    else byPlace.set(key, new Set([theme]));
  }
  const cache = new Map<string, ReadonlySet<string>>();
  return (state, lga) => {
    const key = `${state}|${lga ?? ''}`;
    let themes = cache.get(key);
    if (!themes) {
      const local = lga === null ? undefined : byPlace.get(`${state}|${lga}`);
      themes = new Set([...(byPlace.get(`${state}|${WHOLE_STATE}`) ?? []), ...(local ?? [])]);
      cache.set(key, themes);
    }
    return themes;
  };
}
