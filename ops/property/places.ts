import { find } from '../../contract/answers/ask.ts';
import { geocode } from '../../contract/geocode/geocode.ts';
import { suburbSearch } from '../../contract/suburb/suburb_search.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { areaPath } from '../suburb/area_path.ts';
import { numberedOn, onStreet, streetsLike } from './streets.ts';
import { propertyPlace, type SearchSuggestion } from './view.ts';

/** Maximum suggestions of each kind. */
const EACH = 8;
/** Maximum suburbs to search for an unfinished address. */
const LOOKED_INTO = 3;
/** Maximum length of a text to search among suburb names. */
const NAME_MAX = 100;
/** Start of a G-NAF id: two letters, a state, a number. */
const ID_BEGINS = /^GA[A-Z_]{0,4}[0-9]{0,12}$/;

/** Finds properties by the start of their id, in the order of the index. */
async function byId(db: Serving, begins: string): Promise<SearchSuggestion[]> {
  const rows = await db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'address'])
    .where('gnaf_pid', '>=', begins)
    .orderBy('gnaf_pid')
    .limit(EACH)
    .execute();
  return rows.filter(({ gnaf_pid }) => gnaf_pid.startsWith(begins)).map(propertyPlace);
}

/** Finds suburbs by name; if no name is like the whole text, those at its end, with the text `before` them. */
async function suburbsLike(db: Serving, text: string) {
  const words = text.split(/[\s,]+/);
  for (let from = 0; from < words.length; from++) {
    const q = words.slice(from).join(' ');
    if (q.length > NAME_MAX || !/\p{L}{2}/u.test(q)) continue;
    const { results } = await find(suburbSearch, db, { q, limit: EACH });
    if (results.length > 0) return { before: words.slice(0, from).join(' '), results };
  }
  return { before: '', results: [] };
}
type Suburb = Awaited<ReturnType<typeof suburbsLike>>['results'][number];

const suburb = ({ suburb_name, state, properties }: Suburb): SearchSuggestion => ({
  kind: 'suburb',
  text: suburb_name,
  note: `${state}, ${properties.toLocaleString('en-AU')} ${properties === 1 ? 'property' : 'properties'}`,
  href: areaPath('SAL', suburb_name),
});

/** Finds properties of an address whose suburb is only begun, in each suburb that it may become. */
async function inSuburbs(
  db: Serving,
  before: string,
  suburbs: readonly Suburb[],
): Promise<SearchSuggestion[]> {
  if (!/[0-9]/.test(before)) return [];
  const suggestions: SearchSuggestion[] = [];
  for (const { suburb_name, state } of suburbs.slice(0, LOOKED_INTO)) {
    const address = `${before} ${suburb_name.replace(/ \(.*\)$/, '')} ${state}`;
    const { candidates } = await find(geocode, db, { address, limit: EACH });
    suggestions.push(...candidates.map(propertyPlace));
  }
  return suggestions.slice(0, EACH);
}

/** Finds what a text may mean, best first: properties, then suburbs and streets. `certain`: the only property it can mean, else null. */
export async function placesLike(
  db: Serving,
  runRead: ReadRunner,
  text: string,
): Promise<{ certain: string | null; places: SearchSuggestion[] }> {
  const id = text.toUpperCase();
  if (ID_BEGINS.test(id)) {
    const places = await byId(db, id);
    if (places.length > 0) return { certain: null, places };
  }
  const street = await onStreet(db, text);
  if (street.length > 0) return { certain: null, places: street };
  const { gnaf_pid, candidates } = await find(geocode, db, { address: text, limit: EACH });
  const { before, results } = await suburbsLike(db, text);
  const properties =
    candidates.length > 0 ? candidates.map(propertyPlace) : await inSuburbs(db, before, results);
  if (properties.length === 0) properties.push(...(await numberedOn(db, runRead, text, EACH)));
  const streets = await runRead((client) => streetsLike(client, text, EACH));
  return { certain: gnaf_pid, places: [...properties, ...results.map(suburb), ...streets] };
}
