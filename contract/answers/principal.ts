import type { Serving } from '../../schema/serving/database.ts';

/** Reads the served property of an alias address. Null: the id is not an alias. */
export async function principalOf(db: Serving, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('serving.property_alias as a')
    .innerJoin('serving.property as p', 'p.gnaf_pid', 'a.principal_pid')
    .select('p.gnaf_pid')
    .where('a.alias_pid', '=', id)
    .executeTakeFirst();
  return row?.gnaf_pid ?? null;
}
