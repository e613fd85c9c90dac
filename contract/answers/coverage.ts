import type { CoverageTheme } from '../../schema/records/coverage.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { NoData } from './answer.ts';

/**
 * Returns why a property has nothing of some themes. `not_covered`: no source covers the place, or a source says that it was not assessed.
 * `not_matched`: the address has neither a parcel nor a position. `none_found`: otherwise. Null: no such property.
 */
export async function whyNoneOf<T extends CoverageTheme>(
  db: Serving,
  gnafId: string,
  themes: readonly T[],
): Promise<Record<T, NoData> | null> {
  const row = await db
    .selectFrom('serving.property as p')
    .leftJoin('serving.property_coverage as c', 'c.gnaf_pid', 'p.gnaf_pid')
    .select(['c.covered', 'c.unassessed', 'c.not_matched', 'p.parcel_id', 'p.is_parcel_position'])
    .where('p.gnaf_pid', '=', gnafId)
    .executeTakeFirst();
  if (!row) return null;
  const isPlaced = row.parcel_id !== null || row.is_parcel_position;
  const why = (theme: T): NoData => {
    if (row.not_matched?.includes(theme)) return 'not_matched';
    if (!row.covered?.includes(theme) || row.unassessed?.includes(theme)) return 'not_covered';
    // Older publications have no `not_matched` in their rows.
    return isPlaced ? 'none_found' : 'not_matched';
  };
  return Object.fromEntries(themes.map((theme) => [theme, why(theme)])) as Record<T, NoData>;
}

/** The same for one theme. */
export async function whyNone(db: Serving, gnafId: string, theme: CoverageTheme): Promise<NoData> {
  return (await whyNoneOf(db, gnafId, [theme]))?.[theme] ?? 'unknown_property';
}

/** Returns why nothing of a theme is near an existing property: `none_found` if a source covers its position, else `not_covered`. */
export async function whyNoneNear(db: Serving, gnafId: string, theme: CoverageTheme): Promise<NoData> {
  return (await isCovered(db, gnafId, theme)) ? 'none_found' : 'not_covered';
}

/** Returns whether a source covers a theme at a property, so that nothing found means that there is nothing. */
export async function isCovered(db: Serving, gnafId: string, theme: CoverageTheme): Promise<boolean> {
  const row = await db
    .selectFrom('serving.property_coverage')
    .select('covered')
    .where('gnaf_pid', '=', gnafId)
    .executeTakeFirst();
  return row?.covered.includes(theme) ?? false;
}
