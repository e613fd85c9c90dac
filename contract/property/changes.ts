import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { SUBURB_NAME_DOC, search } from '../answers/operation.ts';
import { WrongParameters } from '../answers/parameter_errors.ts';
import { countParam, listParam, textParam, wholeParam } from '../answers/parameters.ts';
import { regionOf } from '../regions/region.ts';

/** Tables that are not read for answers about properties or suburbs. */
const INTERNAL = ['match_review', 'sandbox_sample', 'setting', 'unused_sale'] as const;

/** Tables whose keys begin with a property; then those whose keys begin with the level and area or code of a region. */
const keyedBy = (...names: readonly string[]): string[] =>
  SERVING_TABLES.filter(({ primaryKey }) => names.every((name, i) => primaryKey[i] === name)).map(
    ({ name }) => name,
  );
const OF_PROPERTY = keyedBy('gnaf_pid');
/** Tables of ids that are not properties. */
const OF_ADDRESS: readonly string[] = ['property_alias', 'property_successor'];
const BY_AREA = keyedBy('level', 'area');
const BY_CODE = keyedBy('level', 'code');

const PLACE = /^(\d{1,9})\.(\w{1,63})\.(\d{1,9})$/;

const params = z.strictObject({
  since: wholeParam(
    'The last publication that you have read; changes of later publications are listed.',
    1,
    2_147_483_647,
  ),
  ids: listParam(
    'GNAF IDs of properties; default, without suburbs: all changes.',
    textParam(50).min(1),
    1000,
  ),
  suburbs: listParam(
    `Names of suburbs; selects changes of the suburbs, not of their properties. ${SUBURB_NAME_DOC}`,
    textParam(200).min(1),
  ),
  cursor: textParam(100)
    .regex(PLACE, 'is no cursor')
    .optional()
    .meta({
      description: 'next_cursor of the previous answer, to continue.',
      examples: ['12.property_avm.340'],
    }),
  limit: countParam(
    'Maximum number of rows that an answer reads; the rows of one property or suburb in a table are one change.',
    1,
    5000,
    1000,
  ),
});
type ChangesParams = z.infer<typeof params>;

/** Changes ordered by publication, and the position to continue from. */
export const changesPayload = z.strictObject({
  since: z.int(),
  publication: z
    .int()
    .meta({ description: 'The last publication whose changes are listed once next_cursor is null.' }),
  start_anew: z.boolean().meta({
    description:
      'Whether the changes since that publication are no longer kept: read again what you need, then use publication as since.',
  }),
  changes: z.array(
    z.strictObject({
      publication: z.int().meta({ description: 'Publication that made the change.' }),
      table: z.string().meta({ description: 'Serving table, as docs/tables.md describes it.' }),
      gnaf_pid: z.string().nullable().meta({
        description: 'GNAF ID of the property whose rows changed; null: the table has no properties.',
      }),
      level: z.string().nullable().meta({
        description: 'Level of the suburb or region whose rows changed; null: the table has none.',
      }),
      area: z.string().nullable().meta({
        description: 'Name or code of that suburb or region, as in the table; null: none.',
      }),
      fields: z
        .array(z.string())
        .nullable()
        .meta({ description: 'Columns that changed, sorted; null: rows were added or removed.' }),
    }),
  ),
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: 'Cursor of the next page; null: this is the last one.' }),
});
type ChangesPayload = z.infer<typeof changesPayload>;

/** Level of suburb and region tables whose keys do not begin with it. */
const LEVEL_OF: Readonly<Record<string, string>> = {
  suburb: 'SAL',
  field_coverage: 'SAL',
  pocket_market: 'SA1',
};
const WITH_LEVEL: ReadonlySet<string> = new Set([...BY_AREA, ...BY_CODE]);
const KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  SERVING_TABLES.map(({ name, primaryKey }) => [name, new Set<string>(primaryKey)]),
);

/** A row change from the journal view, without its values. */
interface RowChange {
  publication: number;
  table: string;
  key: string | null;
  /** Columns of an updated row, including its key. Null: the row was added or removed. */
  columns: string[] | null;
}

type Change = ChangesPayload['changes'][number];

/** Turns a row change into a change of its property or region. */
function changeOf({ publication, table, key, columns }: RowChange): Change {
  const [first = null, second = null] = key?.split('|') ?? [];
  const level = WITH_LEVEL.has(table) ? first : key === null ? null : (LEVEL_OF[table] ?? null);
  const fields = columns?.filter((name) => KEYS.get(table)?.has(name) !== true).sort() ?? null;
  const gnaf_pid = OF_PROPERTY.includes(table) || OF_ADDRESS.includes(table) ? first : null;
  const area = level === null ? null : WITH_LEVEL.has(table) ? second : first;
  return { publication, table, gnaf_pid, level, area, fields };
}

/** Merges changes to one per publication, table and subject, in the order of their first rows. */
function merged(rows: readonly RowChange[]): Change[] {
  const bySubject = new Map<string, Change>();
  for (const change of rows.map(changeOf)) {
    const { publication, table, gnaf_pid, level, area, fields } = change;
    const subject = JSON.stringify([publication, table, gnaf_pid, level, area]);
    const subjectTables = bySubject.get(subject);
    if (subjectTables === undefined) bySubject.set(subject, change);
    else if (subjectTables.fields !== null)
      subjectTables.fields = fields && [...new Set([...subjectTables.fields, ...fields])].sort();
  }
  return [...bySubject.values()];
}

/** First part of a key of several columns. */
const part = (n: number) => sql<string>`split_part(key, '|', ${sql.lit(n)})`;

/** Selects the rows of properties and suburbs. */
async function ofSubjects(db: Serving, { ids, suburbs }: ChangesParams): Promise<RawBuilder<boolean>> {
  const regions = (await Promise.all(suburbs.map((name) => regionOf(db, 'SAL', name)))).filter(
    (each) => each !== null,
  );
  const areas = regions.map(({ area }) => area);
  const codes = regions.map(({ code }) => code);
  const pockets =
    areas.length === 0
      ? []
      : await db
          .selectFrom('serving.pocket_market')
          .select('sa1')
          .distinct()
          .where('sal', 'in', areas)
          .execute();
  const isIn = (list: readonly string[], value: RawBuilder<string>) => sql<boolean>`${value} = ANY (${list})`;
  const of = (tables: readonly string[], ...conditions: RawBuilder<boolean>[]) =>
    sql<boolean>`(table_name = ANY (${tables}) AND (change = 'base' OR (${sql.join(conditions, sql` AND `)})))`;
  const any = sql.join(
    [
      sql<boolean>`false`,
      ...(ids.length > 0 ? [of(OF_PROPERTY, isIn(ids, part(1)))] : []),
      ...(areas.length > 0
        ? [
            of(BY_AREA, sql<boolean>`${part(1)} = 'SAL'`, isIn(areas, part(2))),
            of(BY_CODE, sql<boolean>`${part(1)} = 'SAL'`, isIn(codes, part(2))),
            of(['suburb'], isIn(areas, part(1))),
            of(
              ['pocket_market'],
              sql<boolean>`(${isIn(
                pockets.map(({ sa1 }) => sa1),
                part(1),
              )} OR before ->> 'sal' = ANY (${areas}) OR after ->> 'sal' = ANY (${areas}))`,
            ),
          ]
        : []),
    ],
    sql` OR `,
  );
  return sql<boolean>`(${any})`;
}

/** Lists what publications after a known one changed. @throws WrongParameters if that publication does not exist */
export async function changesSince(db: Serving, params: ChangesParams): Promise<ChangesPayload> {
  const { since, ids, suburbs, cursor, limit } = params;
  const { latest, oldest } = await db
    .selectFrom('serving.publication')
    .select((eb) => [
      eb.fn.coalesce(eb.fn.max('publication_id'), sql<number>`0`).as('latest'),
      sql<number>`COALESCE(min(publication_id) FILTER (WHERE readable), 0)`.as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  if (since > latest)
    throw new WrongParameters({
      type: 'value_error',
      loc: ['query', 'since'],
      msg: `the last publication is ${latest}`,
      input: since,
    });
  const position = PLACE.exec(cursor ?? '');
  const answered = { since, publication: latest };
  // The changes that led to the oldest readable publication are gone, so the rest of that publication is gone too.
  if (position === null ? since < oldest : Number(position[1]) <= oldest)
    return { ...answered, start_anew: true, changes: [], next_cursor: null };
  const after = sql<boolean>`(publication_id, table_name, seq) > (${Number(position?.[1] ?? since + 1)}, ${position?.[2] ?? ''}, ${Number(position?.[3] ?? 0)})`;
  const all = db
    .selectFrom('serving.change')
    .select([
      'publication_id as publication',
      'table_name as table',
      'seq',
      'key',
      sql<string[] | null>`CASE change WHEN 'update' THEN ARRAY(SELECT jsonb_object_keys(after)) END`.as(
        'columns',
      ),
    ])
    .where(after)
    .where('table_name', 'not in', INTERNAL);
  const changeRows = await (ids.length + suburbs.length > 0 ? all.where(await ofSubjects(db, params)) : all)
    .orderBy('publication_id')
    .orderBy('table_name')
    .orderBy('seq')
    .limit(limit + 1)
    .execute();
  const pageRows = changeRows.slice(0, limit);
  const last = pageRows.at(-1);
  const next_cursor = changeRows.length > limit ? `${last!.publication}.${last!.table}.${last!.seq}` : null;
  return { ...answered, start_anew: false, changes: merged(pageRows), next_cursor };
}

/** changes: what publications after a known one changed. */
export const changes = search<ChangesPayload, ChangesParams>({
  methods: ['GET', 'POST'],
  path: '/v1/changes',
  price_cents: 1,
  tool: {
    title: 'What changed',
    use: 'Use it with the publication of an earlier answer to see what has changed for a property or suburb since. Use the tool of the endpoint for the values.',
  },
  doc: 'The properties and suburbs that changed after a known publication, with tables and fields, in the order of publications. The endpoints have the values.',
  noun: 'changes',
  isOfToday: true,
  payload: changesPayload,
  params,
  query: async (db, asked) => ({ data: await changesSince(db, asked) }),
});
