import type pg from 'pg';
import type { Serving } from '../../schema/serving/database.ts';
import { propertyPlace, type SearchSuggestion } from './place.ts';

/** Minimum letters of a street name to search by. */
const LETTERS = 3;
/** Maximum properties of a street to list. */
const LISTED = 200;
/** Format of a suggested street: name and type, locality and state. */
const WRITTEN = /^([^,]+), ([^,]+) ([A-Z]{2,3})$/;

const STREETS = `SELECT concat_ws(' ', s.name, s.type) || ', ' || l.name || ' ' || l.state AS street
  FROM record.street s JOIN record.locality l USING (locality_pid) WHERE starts_with(concat_ws(' ', s.name, s.type), $1)
  GROUP BY s.name, s.type, l.name, l.state ORDER BY s.name, s.type, l.state, l.name LIMIT $2`;

/** Finds streets of the loaded address file by the start of their name; the text has no number. */
export async function streetsLike(
  client: pg.ClientBase,
  text: string,
  most: number,
): Promise<SearchSuggestion[]> {
  if (/[0-9,]/.test(text) || text.length < LETTERS) return [];
  const { rows } = await client.query<{ street: string }>(STREETS, [text.toUpperCase(), most]);
  return rows.map(({ street }) => ({
    kind: 'street',
    text: street,
    note: 'every address of it',
    href: `/property?q=${encodeURIComponent(street)}`,
  }));
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
  return rows
    .sort((a, b) => numberOf(a.number_first) - numberOf(b.number_first))
    .map(({ gnaf_pid, address }) => propertyPlace(gnaf_pid, address));
}
