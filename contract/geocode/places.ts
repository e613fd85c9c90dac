import { sql } from 'kysely';
import type { Serving } from '../../schema/serving/database.ts';
import { editDistance, editsAllowed } from '../../transforms/address/match/typo.ts';
import { nameWords, placeKey, swappedPlaceKey } from '../../transforms/address/parse/keys.ts';
import type { ParsedAddress } from '../../transforms/address/parse/parse.ts';

/** A locality that a text may name. */
export interface LocalityMatchRow {
  state: string;
  name: string;
}

/** Maximum words in the name of a locality, and maximum localities to search for one text. */
const WORDS_MAX = 5;
const PLACES_MAX = 60;

/** Names that the end of the text may be: its last word, its last two words, and so on. */
function placeKeys({ tail, suburb }: ParsedAddress): string[] {
  const keys = new Set<string>();
  const add = (words: readonly string[]): void => {
    for (const key of [placeKey(words), swappedPlaceKey(words)]) if (key) keys.add(key);
  };
  if (suburb !== null) add(nameWords(suburb));
  for (let n = 1; n <= Math.min(WORDS_MAX, tail.length); n++) add(tail.slice(-n));
  return [...keys];
}

const sizes = ['state', 'name', 'name_key', 'properties'] as const;

/**
 * Finds the localities that a text may name: those with the name at its end, else names with one typo; and the localities of its postcode.
 * If there are too many, the ones with most properties.
 */
export async function localitiesOf(db: Serving, parsed: ParsedAddress): Promise<LocalityMatchRow[]> {
  const keys = placeKeys(parsed);
  const { state, postcode } = parsed;
  const all = () => {
    const query = db.selectFrom('serving.locality').select(sizes);
    return state === null ? query : query.where('state', '=', state);
  };
  const namedPlaces = keys.length === 0 ? [] : await all().where('name_key', 'in', keys).execute();
  const ofPostcode =
    postcode === null ? [] : await all().where(sql<boolean>`${postcode} = ANY (postcodes)`).execute();
  const allPlaces = [...namedPlaces, ...ofPostcode];
  if (namedPlaces.length === 0) {
    const isNear = (key: string) =>
      keys.some((each) => editDistance(each, key, editsAllowed(each.length)) <= editsAllowed(each.length));
    allPlaces.push(...(await all().execute()).filter((row) => isNear(row.name_key)));
  }
  const once = new Map(allPlaces.map((row) => [`${row.state}|${row.name}`, row]));
  return [...once.values()]
    .sort((a, b) => b.properties - a.properties || (`${a.state}|${a.name}` < `${b.state}|${b.name}` ? -1 : 1))
    .slice(0, PLACES_MAX)
    .map((row) => ({ state: row.state, name: row.name }));
}
