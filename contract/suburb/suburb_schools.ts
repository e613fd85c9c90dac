import { z } from 'zod';
import { AREA_COLUMN } from '../../schema/serving/area_level.ts';
import { degrees } from '../answers/numbers.ts';
import { publicOrPrivate, schoolRankFields } from '../property/schools.ts';
import { ofRegion, type RegionParams, regionParams } from '../regions/region.ts';

const nullableText = z.string().nullable();

/** Schools of a suburb or region with their ranks. Null: no licensed source has the measure. */
const suburbSchoolsPayload = z.array(
  z.strictObject({
    id: z.int(),
    name: z.string(),
    school_level_type: nullableText,
    sector: z.enum(['public', 'private']).nullable(),
    year_range: nullableText,
    latitude: degrees,
    longitude: degrees,
    ...schoolRankFields,
  }),
);

/** suburb/schools: schools in the area, by highest NAPLAN rank, then highest socio-economic rank, then name. */
export const suburbSchools = ofRegion<z.infer<typeof suburbSchoolsPayload>, RegionParams>({
  subpath: 'suburb/schools',
  price_cents: 10,
  tool: {
    title: 'Schools in a suburb',
    use: 'Use properties_schools_nearby instead for the schools near a property.',
  },
  doc: 'The schools in a suburb or region, highest NAPLAN and then socio-economic rank first, then by name.',
  noun: 'suburb_schools',
  payload: suburbSchoolsPayload,
  params: regionParams,
  async read(db, region) {
    const rows = await db
      .selectFrom('serving.school')
      .select([
        'school_id as id',
        'name',
        'level as school_level_type',
        'sector',
        'year_range',
        'lat as latitude',
        'lon as longitude',
        'attendance_rate',
        'naplan_rank',
        'naplan_label',
        'socioeconomic_rank',
        'socioeconomic_label',
      ])
      .where(AREA_COLUMN[region.level], '=', region.area)
      .orderBy('naplan_rank', (order) => order.desc().nullsLast())
      .orderBy('socioeconomic_rank', (order) => order.desc().nullsLast())
      .orderBy('name')
      .orderBy('school_id')
      .execute();
    if (rows.length > 0)
      return { data: rows.map(({ sector, ...row }) => ({ ...row, sector: publicOrPrivate(sector) })) };
    return { no_data: region.covered.includes('school') ? 'none_found' : 'not_covered' };
  },
});
