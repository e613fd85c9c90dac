import type { CoverageTheme } from '../records/coverage.ts';
import type { NoData } from './answer.ts';
import type { Serving } from './database.ts';

/**
 * Why a property has nothing of a theme: `not_covered` where no source covers the place or says that nobody looked there,
 * `not_matched` where the address has neither a parcel nor a position, else `none_found`.
 */
export async function whyNone(db: Serving, gnafId: string, theme: CoverageTheme): Promise<NoData> {
  const row = await db
    .selectFrom('serving.property_coverage as c')
    .innerJoin('serving.property as p', 'p.gnaf_pid', 'c.gnaf_pid')
    .select(['c.covered', 'c.unassessed', 'p.parcel_id', 'p.is_parcel_position'])
    .where('c.gnaf_pid', '=', gnafId)
    .executeTakeFirst();
  if (!row) return 'unknown_property';
  if (!row.covered.includes(theme) || row.unassessed.includes(theme)) return 'not_covered';
  return row.parcel_id === null && !row.is_parcel_position ? 'not_matched' : 'none_found';
}
