import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { editDistance, editsAllowed } from '../../transforms/address/match/typo.ts';
import { searchKey } from '../../transforms/address/search_key.ts';
import { degrees } from '../answers/numbers.ts';
import { search } from '../answers/operation.ts';
import { countParam, stateParam, textParam } from '../answers/parameters.ts';

const MATCHES = ['exact', 'starts', 'contains', 'fuzzy'] as const;
type Match = (typeof MATCHES)[number];

/** A suburb that a text may mean. */
const suburbSearchPayload = z.strictObject({
  results: z.array(
    z.strictObject({
      suburb_name: z.string(),
      state: z.string(),
      sal_code: z.string(),
      properties: z.int().min(1),
      latitude: degrees.nullable(),
      longitude: degrees.nullable(),
      match: z.enum(MATCHES),
      score: z.number().min(0).max(1),
    }),
  ),
});
type SuburbSearchPayload = z.infer<typeof suburbSearchPayload>;

/** Parameters of a search for suburbs by name. */
export const suburbSearchParams = z.strictObject({
  q: textParam(100)
    .regex(/\S/, 'is blank')
    .meta({ description: 'Name of a suburb, or part of it; its state may follow in parentheses.' }),
  state: stateParam(),
  limit: countParam('Maximum number of suburbs.', 1, 100, 10),
});
type SuburbSearchParams = z.infer<typeof suburbSearchParams>;

/** Minimum letters to search for inside names. */
const PART_MIN = 3;
/** Base scores of a name that begins with the text, and of one that contains it, before its length counts. */
const STARTS = 0.9;
const CONTAINS = 0.7;

/** Scores how a name matches. Null: no match. 1: equal names; less for each unmatched part or wrong letter. */
function matchOf(wantedKey: string, key: string): { match: Match; score: number } | null {
  if (key === wantedKey) return { match: 'exact', score: 1 };
  const share = wantedKey.length / key.length;
  if (key.startsWith(wantedKey)) return { match: 'starts', score: STARTS * (0.5 + 0.5 * share) };
  if (wantedKey.length >= PART_MIN && key.includes(wantedKey))
    return { match: 'contains', score: CONTAINS * (0.5 + 0.5 * share) };
  const allowed = editsAllowed(wantedKey.length);
  const edits = editDistance(wantedKey, key, allowed);
  return edits > allowed ? null : { match: 'fuzzy', score: STARTS - edits / wantedKey.length };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
const middle = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : (a + b) / 2;

/** Finds suburbs by name: equal names, names that begin with or contain the text, names with a typo. Ties: the larger suburb first. */
export async function suburbsNamed(
  db: Serving,
  { q, state, limit }: SuburbSearchParams,
): Promise<SuburbSearchPayload['results']> {
  const wantedKey = searchKey(q);
  if (wantedKey === '') return [];
  let query = db
    .selectFrom('serving.search_area')
    .select(['name', 'name_key', 'code', 'state', 'properties', 'min_lon', 'min_lat', 'max_lon', 'max_lat'])
    .where('level', '=', 'SAL');
  if (state !== undefined) query = query.where('state', '=', state);
  return (await query.execute())
    .flatMap((row) => {
      const nameMatch = matchOf(wantedKey, row.name_key);
      const isNamed = row.name.toLowerCase() === q.trim().toLowerCase();
      return nameMatch === null ? [] : [{ row, ...nameMatch, isNamed }];
    })
    .sort(
      (a, b) =>
        Number(b.isNamed) - Number(a.isNamed) ||
        b.score - a.score ||
        b.row.properties - a.row.properties ||
        (a.row.name < b.row.name ? -1 : 1),
    )
    .slice(0, limit)
    .map(({ row, match, score }) => ({
      suburb_name: row.name,
      state: row.state,
      sal_code: row.code,
      properties: row.properties,
      latitude: middle(row.min_lat, row.max_lat),
      longitude: middle(row.min_lon, row.max_lon),
      match,
      score: round(score),
    }));
}

/** /api/suburb_search: suburbs that a text may mean. */
export const suburbSearch = search<SuburbSearchPayload, SuburbSearchParams>({
  methods: ['GET'],
  path: '/api/suburb_search',
  price_cents: 1,
  doc: 'Suburbs whose name equals the text, begins with it, contains it, or is one typing error away; best first, then largest.',
  payload: suburbSearchPayload,
  params: suburbSearchParams,
  query: async (db, params) => ({ data: { results: await suburbsNamed(db, params) } }),
});
