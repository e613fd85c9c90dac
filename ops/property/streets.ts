import type pg from 'pg';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { propertyPlace, type SearchSuggestion } from './view.ts';

/** Minimum letters of a street name to search by. */
const LETTERS = 3;
/** Maximum streets in which a number is looked up. */
const STREETS_LOOKED_INTO = 50;
/** Maximum properties of a street to list. */
const LISTED = 200;
/** Format of a suggested street: name and type, locality and state. */
const WRITTEN = /^([^,]+), ([^,]+) ([A-Z]{2,3})$/;

/** A number, perhaps with a unit before it, and the start of a street name; no suburb. */
const NUMBERED = /^(?:([0-9]+[A-Z]?) *\/ *)?([0-9]+[A-Z]?) +([A-Z][A-Z' -]*)$/;

const STREETS = `SELECT concat_ws(' ', s.name, s.type) AS street, l.name AS locality, l.state
  FROM record.street s JOIN record.locality l USING (locality_pid) WHERE starts_with(concat_ws(' ', s.name, s.type), $1)
  GROUP BY s.name, s.type, l.name, l.state ORDER BY s.name, s.type, l.state, l.name LIMIT $2`;

/** A street of the loaded address file. */
interface NamedStreet {
  street: string;
  locality: string;
  state: string;
}

/** Finds streets by the start of their name. Empty for fewer than LETTERS letters. */
async function streetsBy(client: pg.ClientBase, begins: string, most: number): Promise<NamedStreet[]> {
  if (begins.length < LETTERS) return [];
  return (await client.query<NamedStreet>(STREETS, [begins.toUpperCase(), most])).rows;
}

/** Suggests streets by the start of their name; the text has no number. */
export async function streetsLike(
  client: pg.ClientBase,
  text: string,
  most: number,
): Promise<SearchSuggestion[]> {
  if (/[0-9,]/.test(text)) return [];
  return (await streetsBy(client, text, most)).map(({ street, locality, state }) => {
    const written = `${street}, ${locality} ${state}`;
    return {
      kind: 'street',
      text: addressTitleCase(written),
      note: 'every address of it',
      href: `/property?q=${encodeURIComponent(written)}`,
    };
  });
}

/** Finds properties by number and the start of a street name, in any suburb: `3 portl`. */
export async function numberedOn(
  db: Serving,
  runRead: ReadRunner,
  text: string,
  most: number,
): Promise<SearchSuggestion[]> {
  const [, unit, number, begins] = NUMBERED.exec(text.toUpperCase()) ?? [];
  if (number === undefined) return [];
  const streets = await runRead((client) => streetsBy(client, begins!, STREETS_LOOKED_INTO));
  if (streets.length === 0) return [];
  const rows = await db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'address'])
    .where((eb) =>
      eb.or(
        streets.map(({ street, locality, state }) =>
          eb.and({ state, locality, street, number_first: number }),
        ),
      ),
    )
    .where((eb) => (unit === undefined ? eb.lit(true) : eb('flat_number', '=', unit)))
    .orderBy('address')
    .orderBy('gnaf_pid')
    .limit(most)
    .execute();
  return rows.map(propertyPlace);
}

/** Lists the properties of a suggested street by number. Empty for any other text. */
export async function onStreet(db: Serving, text: string): Promise<SearchSuggestion[]> {
  const [, street, locality, state] = WRITTEN.exec(text) ?? [];
  if (street === undefined || /[0-9]/.test(street)) return [];
  const rows = await db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'address', 'number_first'])
    .where('state', '=', state!)
    .where('locality', '=', locality!)
    .where((eb) => eb.or([eb('street', '=', street), eb('street', 'like', `${street} %`)]))
    .orderBy('number_first')
    .orderBy('gnaf_pid')
    .limit(LISTED)
    .execute();
  const numberOf = (number: string | null): number => Number.parseInt(number ?? '', 10) || 0;
  return rows.sort((a, b) => numberOf(a.number_first) - numberOf(b.number_first)).map(propertyPlace);
}
