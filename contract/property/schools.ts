import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import type { Answer } from '../answers/answer.ts';
import { whyNoneNear } from '../answers/coverage.ts';
import { fraction, percent } from '../answers/numbers.ts';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';
import { cellsWithin, centreOf, metresFrom } from '../regions/centre.ts';

/** Search radius of the school endpoints, metres (specification, section 8). */
const SCHOOL_RADIUS_M = 5000;

const nearby = {
  id: z.int(),
  name: z.string(),
  school_level_type: z.string().nullable(),
  sector: z.enum(['public', 'private']).nullable(),
  distance_m: z.int().min(0),
};

/** Sector of the specification, from Government, Catholic or Independent. Null: not stated. */
export const publicOrPrivate = (sector: string | null): 'public' | 'private' | null =>
  sector === null ? null : sector === 'Government' ? 'public' : 'private';

/** Specification, section 2.2: SchoolNearby. */
export const schoolsNearbyPayload = z.array(z.strictObject(nearby));

const rank = fraction.nullable();

/** Fields of SchoolRanking in addition to SchoolNearby. Null: no licensed source has the measure. */
export const schoolRankFields = {
  attendance_rate: percent.nullable(),
  naplan_rank: rank,
  naplan_label: z.string().nullable(),
  socioeconomic_rank: rank,
  socioeconomic_label: z.string().nullable(),
} as const;

/** Specification, section 2.2: SchoolRanking. */
export const schoolsRankingPayload = z.array(z.strictObject({ ...nearby, ...schoolRankFields }));
type RankedSchool = z.infer<typeof schoolsRankingPayload>[number];

/**
 * Reads schools within the radius, nearest first, then by id. Special-purpose schools are listed with level `Special`; distances to the
 * nearest school ignore them.
 */
async function schoolsWithin(db: Serving, gnafId: string): Promise<Answer<RankedSchool[]>> {
  const centre = await centreOf(db, gnafId);
  if (centre === undefined) return { no_data: 'unknown_property' };
  if (centre === null) return { no_data: 'not_matched' };
  const schools = await db
    .selectFrom('serving.school')
    .selectAll()
    .where('cell', 'in', cellsWithin(centre, SCHOOL_RADIUS_M))
    .execute();
  const metres = metresFrom(centre);
  const near = schools
    .map((school) => ({ school, exact: metres(school.lon, school.lat) }))
    .filter(({ exact }) => exact <= SCHOOL_RADIUS_M)
    .sort((a, b) => a.exact - b.exact || a.school.school_id - b.school.school_id);
  if (near.length === 0) return { no_data: await whyNoneNear(db, gnafId, 'school') };
  return {
    data: near.map(({ school, exact }) => ({
      id: school.school_id,
      name: school.name,
      school_level_type: school.level,
      sector: publicOrPrivate(school.sector),
      distance_m: Math.round(exact),
      attendance_rate: school.attendance_rate,
      naplan_rank: school.naplan_rank,
      naplan_label: school.naplan_label,
      socioeconomic_rank: school.socioeconomic_rank,
      socioeconomic_label: school.socioeconomic_label,
    })),
  };
}

/** schools/nearby: every school within 5 km, nearest first. */
export const schoolsNearby = ofProperty<z.infer<typeof schoolsNearbyPayload>, NoParams>({
  subpath: 'schools/nearby',
  price_cents: 5,
  tool: { title: 'Schools nearby', use: 'Use properties_schools_ranking instead to compare schools.' },
  doc: 'Every school within 5 km, nearest first. Special-purpose schools have the level Special; nearest-school distances in other endpoints exclude them.',
  noun: 'schools',
  payload: schoolsNearbyPayload,
  params: noParams,
  async query(db, gnafId) {
    const answer = await schoolsWithin(db, gnafId);
    if ('no_data' in answer) return answer;
    return {
      data: answer.data.map(({ id, name, school_level_type, sector, distance_m }) => ({
        id,
        name,
        school_level_type,
        sector,
        distance_m,
      })),
    };
  },
});

/** Sorts by highest NAPLAN rank, then highest socio-economic rank, then nearest. Unknown ranks come last. */
function byRank(a: RankedSchool, b: RankedSchool): number {
  return (
    (b.naplan_rank ?? -1) - (a.naplan_rank ?? -1) ||
    (b.socioeconomic_rank ?? -1) - (a.socioeconomic_rank ?? -1) ||
    a.distance_m - b.distance_m ||
    a.id - b.id
  );
}

/** schools/ranking: the same schools, ranked by NAPLAN and socio-economic score. */
export const schoolsRanking = ofProperty<z.infer<typeof schoolsRankingPayload>, NoParams>({
  subpath: 'schools/ranking',
  price_cents: 100,
  tool: {
    title: 'Schools by rank',
    use: 'Use properties_schools_nearby instead if names and distances are enough: it costs a twentieth.',
  },
  doc: 'Every school within 5 km, ranked by NAPLAN and socio-economic score.',
  noun: 'school_ranking',
  payload: schoolsRankingPayload,
  params: noParams,
  async query(db, gnafId) {
    const answer = await schoolsWithin(db, gnafId);
    return 'no_data' in answer ? answer : { data: [...answer.data].sort(byRank) };
  },
});
