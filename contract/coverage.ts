import type { CoverageTheme } from '../schema/records/coverage.ts';
import type { Serving } from '../schema/serving/database.ts';
import type { NoData } from './answer.ts';

/**
 * Why a property has nothing of some themes: `not_covered` where no source covers the place or says that nobody looked there,
 * `not_matched` where the address has neither a parcel nor a position, else `none_found`. Null: there is no such property.
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
    // Publications of earlier versions list nothing as not matched.
    return isPlaced ? 'none_found' : 'not_matched';
  };
  return Object.fromEntries(themes.map((theme) => [theme, why(theme)])) as Record<T, NoData>;
}

/** The same of one theme. */
export async function whyNone(db: Serving, gnafId: string, theme: CoverageTheme): Promise<NoData> {
  return (await whyNoneOf(db, gnafId, [theme]))?.[theme] ?? 'unknown_property';
}

/** Why nothing of a theme is near the point of a property that there is: `none_found` where some source covers it there. */
export async function whyNoneNear(db: Serving, gnafId: string, theme: CoverageTheme): Promise<NoData> {
  const row = await db
    .selectFrom('serving.property_coverage')
    .select('covered')
    .where('gnaf_pid', '=', gnafId)
    .executeTakeFirst();
  return row?.covered.includes(theme) ? 'none_found' : 'not_covered';
}
