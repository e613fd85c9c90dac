import { ask } from '../../contract/answers/ask.ts';
import { accuracyOf } from '../../contract/service/accuracy.ts';
import { servedPublication } from '../../contract/service/service.ts';
import { suburbMarket, suburbRanking } from '../../contract/suburb/suburb_market.ts';
import { suburbPockets } from '../../contract/suburb/suburb_pockets.ts';
import {
  suburbDemographics,
  suburbHazards,
  suburbProfile,
  suburbShape,
} from '../../contract/suburb/suburb_region.ts';
import { suburbListings, suburbSales } from '../../contract/suburb/suburb_sales.ts';
import { suburbSchools } from '../../contract/suburb/suburb_schools.ts';
import type { LateSource } from '../../pipelines/views/late_sources.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { PageLevel } from './area_path.ts';

/** Maximum sales and listings on the page. */
const LISTED = 50;

/** Reads the data of the page of a suburb or region. Null: there is no such area. */
export async function readArea(
  db: Serving,
  level: PageLevel,
  id: string,
  readLate: (state: string | null) => Promise<LateSource[]>,
) {
  const profile = await ask(suburbProfile, db, id, { level });
  if (profile.data === null) return null;
  const { name, state } = profile.data;
  const of = level === 'SAL' ? name : profile.data.code;
  const by = { level };
  const [
    publication,
    shape,
    demographics,
    market,
    ranking,
    pockets,
    hazards,
    listings,
    sales,
    schools,
    own,
    models,
  ] = await Promise.all([
    servedPublication(db),
    ask(suburbShape, db, of, by),
    ask(suburbDemographics, db, of, by),
    ask(suburbMarket, db, of, by),
    ask(suburbRanking, db, of, by),
    level === 'SAL' ? ask(suburbPockets, db, of) : null,
    ask(suburbHazards, db, of, by),
    ask(suburbListings, db, of, { ...by, type: 'sale', limit: LISTED }),
    ask(suburbSales, db, of, { ...by, limit: LISTED }),
    ask(suburbSchools, db, of, by),
    level === 'SAL' ? accuracyOf(db, 'sale', 'suburb', name) : [],
    accuracyOf(db, 'sale', 'all'),
  ]);
  const wide = models.find(({ region }) => region === state) ?? models.find(({ region }) => region === 'AU');
  const accuracy = { own, wide: wide ?? null };
  const { data } = profile;
  return {
    level,
    profile: data,
    publication,
    shape,
    demographics,
    lateSources: await readLate(state),
    market,
    ranking,
    pockets,
    hazards,
    listings,
    sales,
    schools,
    accuracy,
  };
}

/** Data of the page of a suburb or region. */
export type AreaView = NonNullable<Awaited<ReturnType<typeof readArea>>>;
