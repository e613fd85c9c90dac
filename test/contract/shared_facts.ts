import { ask, find } from '../../contract/answers/ask.ts';
import { SUBURB_FIELDS } from '../../contract/finder/suburb_fields.ts';
import { suburbFinder } from '../../contract/finder/suburb_finder.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { propertyNeighbours } from '../../contract/property/property_neighbours.ts';
import { PROFILE_LEVELS } from '../../contract/regions/region.ts';
import { regionCensus } from '../../contract/regions/region_census.ts';
import { regionList } from '../../contract/regions/region_list.ts';
import { censusMeasures } from '../../schema/serving/census_measures.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { SERVED_LEVELS } from '../../schema/serving/region_demographics.ts';
import { openServing } from '../../store/read/serving.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are compared whatever endpoint they come from.
type Answer = any;

const endpointOf = new Map(ENDPOINTS.map((each) => [`${each.subject} ${each.subpath}`, each]));

/** What several answers say of the same thing, and differ in, as sentences. */
class Disagreements {
  readonly found: string[] = [];
  #compared = 0;

  /** Facts that were compared. */
  get compared(): number {
    return this.#compared;
  }

  same(subject: string, fact: string, one: unknown, other: unknown): void {
    this.#compared++;
    const [a, b] = [JSON.stringify(one ?? null), JSON.stringify(other ?? null)];
    if (a !== b) this.found.push(`${subject} ${fact}: ${a.slice(0, 200)} and ${b.slice(0, 200)}`);
  }
}

/** Parts of bundles by the endpoints that answer them alone. */
const BUNDLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'basics/all': {
    bed_count: 'basics/bed-count',
    bath_count: 'basics/bath-count',
    parking_count: 'basics/parking-count',
    dwelling_type: 'basics/dwelling-type',
    land_area_sqm: 'basics/land-area-sqm',
  },
  'history/all': {
    sale_history: 'sale-history',
    sale_history_latest: 'sale-history-latest',
    rent_history: 'rent-history',
    rent_history_latest: 'rent-history-latest',
  },
  'comparables/all': {
    cma_comp_set: 'comparables/cma-comp-set',
    cma_single_comp: 'comparables/cma-single-comp',
    recent_sales_nearby: 'comparables/recent-sales-nearby',
  },
  'development/all': {
    zoning_code: 'development/zoning-code',
    zoning_overlays: 'development/zoning-overlays',
  },
  'schools/all': { nearby: 'schools/nearby', ranking: 'schools/ranking' },
};

/** The value of an answer that is an object of one field, as those of basics are. */
const only = (data: Answer): unknown =>
  data !== null && typeof data === 'object' && !Array.isArray(data) && Object.keys(data).length === 1
    ? Object.values(data)[0]
    : data;

const FIELDS = SUBURB_FIELDS.map(({ name }) => name).join(',');

/** The fields of the suburb finder as the endpoints of a suburb have them. */
async function fieldsElsewhere(of: (path: string) => Promise<Answer>, market: string): Promise<Answer> {
  const in_market = async (path: string): Promise<Answer[]> =>
    ((await of(path)) ?? []).filter((each: Answer) => each.market === market);
  const prefixed = (prefix: string, row: Answer): Answer =>
    Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [prefix + name, value]));
  const fields: Answer = {
    ...(await in_market('suburb/market'))[0],
    growth_forecast_percent: (await in_market('suburb/growth-forecast'))[0]?.growth_percent,
    ...prefixed('census_', await of('suburb/demographics')),
  };
  for (const { measure, state_rank, nation_rank } of await in_market('suburb/ranking')) {
    fields[`${measure}_state_rank`] = state_rank;
    fields[`${measure}_nation_rank`] = nation_rank;
  }
  for (const { layer, share, properties_covered } of (await of('suburb/hazards')) ?? []) {
    fields[`hazard_${layer}_share`] = share;
    fields[`hazard_${layer}_properties_covered`] = properties_covered;
  }
  return fields;
}

/** Compares the streets of a suburb with its sales, its market, and the bedrooms of their homes. */
async function compareStreets(
  db: Serving,
  sal: string,
  answer: (subject: string, path: string, id: string, query?: object) => Promise<Answer>,
  facts: Disagreements,
): Promise<void> {
  const homes = await db
    .selectFrom('serving.property as p')
    .innerJoin('serving.property_finder as f', 'f.gnaf_pid', 'p.gnaf_pid')
    .select(['p.gnaf_pid', 'p.street', 'f.property_type'])
    .where('p.sal', '=', sal)
    .orderBy('p.gnaf_pid')
    .execute();
  const sales: Answer[] = (await answer('suburb', 'suburb/sales', sal, { limit: '1000' })) ?? [];
  const home = new Map(homes.map((each) => [each.gnaf_pid, each]));
  const inYear: Record<string, number> = { house: 0, unit: 0 };
  let [from, to] = ['', ''];
  for (const street of new Set(homes.map((each) => each.street))) {
    const on = homes.filter((each) => each.street === street);
    const profile = await answer('property', 'street', on[0]!.gnaf_pid, { years: '1' });
    if (profile === null) continue;
    [from, to] = [profile.from_date, profile.to_date];
    facts.same(sal, `${street} properties`, profile.properties, on.length);
    for (const { market, homes: n, sales: sold, latest_sale_date, bedrooms } of profile.markets) {
      const subject = `${sal} ${street} ${market}`;
      const kind = on.filter(({ property_type }) => property_type === market);
      const listed = sales.filter(
        ({ gnaf_pid, sale_date }) =>
          kind.some((each) => each.gnaf_pid === gnaf_pid) && sale_date >= from && sale_date <= to,
      );
      facts.same(subject, 'homes', n, kind.length);
      facts.same(subject, 'sales', sold, listed.length);
      facts.same(subject, 'latest sale', latest_sale_date, listed[0]?.sale_date);
      const beds = await Promise.all(
        kind.map(async ({ gnaf_pid }) => only(await answer('property', 'basics/bed-count', gnaf_pid))),
      );
      const counted = (bedrooms as Answer[]).map(({ bed_count, homes: of }) => [bed_count, of]);
      const expected = [...new Set(beds.filter((each) => each !== null))].sort(
        (a, b) => Number(a) - Number(b),
      );
      facts.same(
        subject,
        'bedrooms',
        counted,
        expected.map((n) => [n, beds.filter((each) => each === n).length]),
      );
      inYear[market]! += sold;
    }
  }
  const streetless = sales.filter(
    ({ gnaf_pid, sale_date }) => home.get(gnaf_pid)?.street === null && sale_date >= from && sale_date <= to,
  );
  for (const { market, price_sample } of (await answer('suburb', 'suburb/market', sal)) ?? []) {
    const more = streetless.filter(({ gnaf_pid }) => home.get(gnaf_pid)?.property_type === market).length;
    facts.same(sal, `${market} sales of all streets in a year`, inYear[market]! + more, price_sample);
  }
}

/** Compares the lists of regions, and their Census values, with the profile and the demographics of each. */
async function compareRegions(
  db: Serving,
  answer: (subject: string, path: string, id: string, query?: object) => Promise<Answer>,
  facts: Disagreements,
): Promise<void> {
  const census = new Map<string, Answer>();
  for (const level of SERVED_LEVELS) {
    const fields = Object.keys(censusMeasures).join(',');
    const found = (await ask(regionCensus, db, '', { level, fields, limit: 5000 })) as Answer;
    for (const region of found.data?.regions ?? []) census.set(`${level} ${region.code}`, region);
  }
  for (const level of PROFILE_LEVELS) {
    const regions: Answer[] = ((await ask(regionList, db, '', { level })) as Answer).data ?? [];
    for (const { code, name, state, properties } of regions) {
      const id = level === 'SAL' ? name : code;
      const profile = await answer('suburb', 'suburb/profile', id, { level });
      const own = { level: profile.level, code: profile.code, name: profile.name, state: profile.state };
      facts.same(
        id,
        `${level} of its profile`,
        { ...own, n: profile.properties },
        { level, code, name, state, n: properties },
      );
      const demographics = await answer('suburb', 'suburb/demographics', id, { level });
      const row = census.get(`${level} ${code}`);
      for (const measure of ['census_year', ...Object.keys(censusMeasures)])
        facts.same(id, `${level} ${measure}`, row?.[measure], demographics?.[measure]);
    }
  }
}

/**
 * Compares each fact that two answers share, of some homes and of all suburbs that have one of them: bundles and their parts, basics, the
 * finder, neighbours of both families, comparables, histories, valuation, areas, schools, amenities, transport, risks and suburb figures.
 */
async function disagreements(
  db: Serving,
  pids: readonly string[],
): Promise<{ found: string[]; compared: number }> {
  const facts = new Disagreements();
  const answer = async (subject: string, path: string, id: string, query = {}): Promise<Answer> =>
    (await ask(endpointOf.get(`${subject} ${path}`)!, db, id, query)).data;
  const suburbs = new Set<string>();
  for (const pid of pids) {
    const of = (path: string, query = {}): Promise<Answer> => answer('property', path, pid, query);
    const parts = new Map<string, Answer>();
    for (const [bundle, names] of Object.entries(BUNDLES)) {
      const whole = await of(bundle);
      for (const [name, path] of Object.entries(names)) {
        const part = await of(path);
        parts.set(path, part);
        const isBasic = bundle === 'basics/all';
        facts.same(pid, path, isBasic ? only(part) : part, whole === null ? null : whole[name]);
      }
    }
    const [avm, profile, all] = [await of('valuation/avm'), await of('profile'), await of('risks/all')];
    const history: Answer[] = (await of('valuation/history')) ?? [];
    const valued = await db
      .selectFrom('serving.property_avm')
      .select('prediction_date')
      .where('gnaf_pid', '=', pid)
      .executeTakeFirst();
    const {
      publication: _publication,
      published_at: _at,
      ...ofMonth
    } = history.find(({ prediction_date }) => prediction_date === valued?.prediction_date) ?? {};
    if (avm !== null) facts.same(pid, 'estimate of its month', ofMonth, avm);
    else if (history.length > 0) {
      const { no_data } = (await ask(endpointOf.get('property valuation/avm')!, db, pid)) as Answer;
      const { predicted_price: price, no_data: reason } = ofMonth as Answer;
      facts.same(pid, 'no estimate of its month', [price, reason], [null, no_data]);
    }
    const basics = {
      beds: only(parts.get('basics/bed-count')),
      baths: only(parts.get('basics/bath-count')),
      cars: only(parts.get('basics/parking-count')),
      type: only(parts.get('basics/dwelling-type')),
      land: only(parts.get('basics/land-area-sqm')),
    };
    const finder = await db
      .selectFrom('serving.property_finder')
      .selectAll()
      .where('gnaf_pid', '=', pid)
      .executeTakeFirst();
    if (finder !== undefined) {
      facts.same(pid, 'finder beds', finder.beds, basics.beds);
      facts.same(pid, 'finder baths', finder.baths, basics.baths);
      facts.same(pid, 'finder cars', finder.cars, basics.cars);
      facts.same(pid, 'finder dwelling type', finder.dwelling_type, basics.type);
      facts.same(
        pid,
        'finder land area',
        finder.land_area_sqm === null ? null : Math.round(finder.land_area_sqm),
        basics.land === null || basics.land === undefined ? null : Math.round(basics.land as number),
      );
      facts.same(pid, 'finder price', finder.price, avm?.predicted_price);
      facts.same(pid, 'finder suburb', finder.sal, profile?.suburb);
      facts.same(pid, 'finder state', finder.state, profile?.state ?? finder.state);
    }
    if (profile?.suburb) suburbs.add(profile.suburb);
    // Neighbours of both families, and each of them as it is asked for by itself.
    const near: Answer[] = (await of('neighbours'))?.neighbours ?? [];
    const family = (await find(propertyNeighbours, db, { id: pid })) as Answer;
    facts.same(
      pid,
      'neighbours',
      near.map(({ gnaf_pid }) => gnaf_pid),
      (family.neighbours ?? []).map(({ gnaf_pid }: Answer) => gnaf_pid),
    );
    const itself = { gnaf_pid: pid, address: family.property?.address, evidence: 'current' };
    facts.same(pid, 'successor', await of('successor'), itself);
    facts.same(pid, 'own bedrooms', family.property?.bedrooms, basics.beds);
    facts.same(pid, 'own type', family.property?.property_type, basics.type);
    facts.same(
      pid,
      'history of sales and sale listings',
      (family.property?.property_history ?? [])
        .filter(({ type }: Answer) => type !== 'For Rent')
        .map(({ date, price }: Answer) => [date, price])
        .sort(),
      (parts.get('sale-history') ?? []).map(({ date, price }: Answer) => [date, price ?? null]).sort(),
    );
    for (const [i, each] of near.entries()) {
      const other = family.neighbours?.[i];
      for (const name of ['address', 'property_type', 'bedrooms', 'bathrooms', 'garage_spaces'])
        facts.same(`${pid}'s neighbour ${each.gnaf_pid}`, name, each[name], other?.[name]);
    }
    const first = near[0];
    if (first !== undefined) {
      facts.same(
        first.gnaf_pid,
        'bedrooms of a neighbour',
        first.bedrooms,
        only(await answer('property', 'basics/bed-count', first.gnaf_pid)),
      );
      const back = ((await answer('property', 'neighbours', first.gnaf_pid))?.neighbours ?? []).map(
        ({ gnaf_pid }: Answer) => gnaf_pid,
      );
      facts.same(pid, `is a neighbour of ${first.gnaf_pid}, which is one of it`, back.includes(pid), true);
    }
    // Sales that others are compared with are in their own histories.
    const comparables: Answer[] = parts.get('comparables/cma-comp-set') ?? [];
    facts.same(pid, 'the one comparable', parts.get('comparables/cma-single-comp'), comparables[0]);
    for (const { gnaf_pid, date_sold, price } of comparables.slice(0, 3)) {
      const history: Answer[] = (await answer('property', 'sale-history', gnaf_pid)) ?? [];
      facts.same(
        `${pid}'s comparable ${gnaf_pid}`,
        `sale of ${date_sold}`,
        history.some((each) => each.date === date_sold && each.price === price),
        true,
      );
    }
    // Homes for sale nearby have the asking prices of their histories, their own estimates, and the yields of the finder.
    const offers: Answer[] = (await of('comparables/for-sale-nearby')) ?? [];
    for (const each of offers.slice(0, 2)) {
      const subject = `${pid}'s home for sale ${each.gnaf_pid}`;
      const own = (path: string): Promise<Answer> => answer('property', path, each.gnaf_pid);
      const history: Answer[] = (await own('sale-history')) ?? [];
      const listing = history.filter(({ type, date }) => type === 'For Sale' && date === each.listing_date);
      const prices = listing.map(({ price }) => price ?? null);
      facts.same(subject, 'asking price', prices.includes(each.asking_price), true);
      const value = await own('valuation/avm');
      for (const name of [
        'predicted_price',
        'predicted_price_low',
        'predicted_price_high',
        'confidence_score',
      ])
        facts.same(subject, name, each[name], value?.[name]);
      const found = await db
        .selectFrom('serving.property_finder')
        .select(['yield_percent', 'rent_aud_pw'])
        .where('gnaf_pid', '=', each.gnaf_pid)
        .executeTakeFirst();
      const shown = found?.yield_percent ?? null;
      facts.same(subject, 'yield', each.gross_yield_percent, shown && Math.round(shown * 100) / 100);
      facts.same(subject, 'rent', each.rent_aud_pw, found?.rent_aud_pw);
      if (each.asking_price !== null && each.predicted_price !== null)
        facts.same(subject, 'discount', each.discount > 0, each.asking_price < each.predicted_price);
      else facts.same(subject, 'no discount', each.discount, null);
    }
    for (const kind of ['sale', 'rent'])
      facts.same(
        pid,
        `latest ${kind}`,
        parts.get(`${kind}-history-latest`),
        (parts.get(`${kind}-history`) ?? [])[0],
      );
    // Schools by distance and by rank; amenities and stops counted and listed.
    const byId = (rows: Answer[] | null): Answer =>
      Object.fromEntries((rows ?? []).map(({ id, name, distance_m }) => [id, [name, distance_m]]));
    facts.same(pid, 'schools', byId(parts.get('schools/nearby')), byId(parts.get('schools/ranking')));
    const amenities = await of('amenities/nearby');
    if (amenities !== null && amenities.results.length < 80) {
      const counted = Object.values(amenities.counts as Record<string, number>).reduce(
        (sum, n) => sum + n,
        0,
      );
      facts.same(pid, 'amenities counted', counted, amenities.results.length);
    }
    const transport = await of('transport/nearby');
    for (const [mode, n] of Object.entries((transport?.counts ?? {}) as Record<string, number>))
      facts.same(pid, `a nearest ${mode}`, n > 0, transport.nearest[mode] !== null);
    for (const layer of Object.keys(all ?? {}))
      facts.same(pid, `risk ${layer}`, await of(`risks/${layer.replaceAll('_', '-')}`), all[layer]);
  }
  for (const sal of suburbs) {
    const of = (path: string, query = {}): Promise<Answer> => answer('suburb', path, sal, query);
    const { n } = await db
      .selectFrom('serving.property')
      .select(({ fn }) => fn.countAll<string>().as('n'))
      .where('sal', '=', sal)
      .executeTakeFirstOrThrow();
    facts.same(sal, 'properties', (await of('suburb/profile'))?.properties, Number(n));
    for (const { gnaf_pid, sale_date, sale_price } of ((await of('suburb/sales', { limit: '20' })) ??
      []) as Answer[]) {
      const history: Answer[] = (await answer('property', 'sale-history', gnaf_pid)) ?? [];
      facts.same(
        `${sal} ${gnaf_pid}`,
        `sale of ${sale_date}`,
        history.some(({ date, price }) => date === sale_date && price === sale_price),
        true,
      );
      facts.same(
        `${sal} ${gnaf_pid}`,
        'suburb',
        (await answer('property', 'profile', gnaf_pid))?.suburb,
        sal,
      );
    }
    await compareStreets(db, sal, answer, facts);
    const blocks: Answer[] = (await of('suburb/mesh-blocks')) ?? [];
    const placed = await db
      .selectFrom('serving.property_profile')
      .select(({ fn }) => fn.count<string>('mesh_block').as('n'))
      .where('suburb', '=', sal)
      .executeTakeFirstOrThrow();
    const inBlocks = blocks.reduce((sum: number, { properties }) => sum + properties, 0);
    facts.same(sal, 'properties of its mesh blocks', inBlocks, Number(placed.n));
    for (const market of ['house', 'unit']) {
      const found = (await ask(suburbFinder, db, '', { suburbs: sal, market, fields: FIELDS })) as Answer;
      const own = found.data.suburbs.find(({ suburb_name }: Answer) => suburb_name === sal);
      const elsewhere = await fieldsElsewhere(of, market);
      for (const { name } of SUBURB_FIELDS)
        facts.same(sal, `suburb finder ${market} ${name}`, own[name], elsewhere[name]);
    }
    const near: Answer[] = (await of('suburb/neighbours')) ?? [];
    for (const { code, name, shared_boundary_m } of near.slice(0, 2)) {
      const back: Answer[] = (await answer('suburb', 'suburb/neighbours', name)) ?? [];
      const own = (await of('suburb/profile'))?.code;
      const turned = back.find((each) => each.code === own);
      if (back.length > 0)
        facts.same(sal, `boundary with ${name} (${code})`, turned?.shared_boundary_m, shared_boundary_m);
    }
  }
  await compareRegions(db, answer, facts);
  const retired = await db
    .selectFrom('serving.property_successor')
    .select(['retired_pid', 'evidence'])
    .orderBy('retired_pid')
    .limit(100)
    .execute();
  for (const { retired_pid, evidence } of retired) {
    const found = await answer('property', 'successor', retired_pid);
    facts.same(retired_pid, 'evidence of its successor', found?.evidence, evidence);
    if (found === null) continue;
    const own = await answer('property', 'successor', found.gnaf_pid);
    facts.same(retired_pid, 'successor', { ...found, evidence: 'current' }, own);
    const { message } = (await ask(endpointOf.get('property profile')!, db, retired_pid)) as Answer;
    facts.same(retired_pid, 'successor in the message', message.includes(found.gnaf_pid), true);
  }
  return { found: facts.found, compared: facts.compared };
}

/** What answers about one property, or about every so many of a database, differ in. */
export async function disagreementsIn(
  url: string,
  which: number | string,
): Promise<{ found: string[]; compared: number }> {
  const db = openServing(url);
  try {
    const homes = await db.selectFrom('serving.property').select('gnaf_pid').orderBy('gnaf_pid').execute();
    const some = homes
      .map(({ gnaf_pid }) => gnaf_pid)
      .filter((pid, i) => (typeof which === 'string' ? pid === which : i % which === 0));
    return await disagreements(db, some);
  } finally {
    await db.destroy();
  }
}
