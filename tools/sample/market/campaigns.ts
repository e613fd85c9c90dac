import type { Random } from '../random.ts';
import { DAYS } from './calendar.ts';
import { fairPrice, type PricedHome, type SuburbMarket, salePrice, weeklyRent } from './price_model.ts';

/** Something that happened on the market. */
export interface SampleEvent {
  /** Campaign of the home, from 1: the listing that the event is of. */
  readonly campaign: number;
  readonly type: 'listed' | 'price_changed' | 'under_offer' | 'sold' | 'withdrawn' | 'leased';
  readonly channel: 'sale' | 'rent';
  /** Index into DAYS. */
  readonly day: number;
  /** Dollars, of rent a week; null: not disclosed. */
  readonly price: number | null;
  /** Asking range in place of a price; null: none. */
  readonly range: readonly [number, number] | null;
}

const MOST_EVENTS = 5;
/** Days between the starts of two campaigns. */
const APART = 500;
const LAST_DAY = DAYS.length - 1;

/** Events of a home in ten years, at most five, in the order of their dates: none, one or two campaigns. */
export function drawEvents(home: PricedHome, market: SuburbMarket, random: Random): SampleEvent[] {
  const draw = random.next();
  const campaigns = draw < 0.25 ? 0 : draw < 0.75 ? 1 : 2;
  const events: SampleEvent[] = [];
  let day = random.int(campaigns > 1 ? LAST_DAY - APART : LAST_DAY);
  for (let campaign = 1; campaign <= campaigns; campaign++) {
    const isRent = random.chance(home.type === 'unit' || home.type === 'apartment' ? 0.55 : 0.3);
    events.push(...(isRent ? rental : sale)(home, market, campaign, day, random));
    if (day + APART > LAST_DAY) break;
    day += APART + random.int(LAST_DAY - APART - day + 1);
  }
  return events.filter((event) => event.day <= LAST_DAY).slice(0, MOST_EVENTS);
}

type Campaign = (
  home: PricedHome,
  market: SuburbMarket,
  campaign: number,
  day: number,
  random: Random,
) => SampleEvent[];

/** An event without a range; functions inside functions would cost more than the rest of a campaign. */
const eventOf = (
  campaign: number,
  channel: SampleEvent['channel'],
  type: SampleEvent['type'],
  day: number,
  price: number | null,
): SampleEvent => ({ campaign, type, channel, day, price, range: null });

const sale: Campaign = (home, market, campaign, day, random) => {
  const price = salePrice(fairPrice(home, market, day), random);
  const asking = Math.round((price * (0.97 + 0.06 * random.next())) / 5000) * 5000;
  const style = random.next();
  const range = style < 0.35 ? ([asking, Math.round(asking * 1.1)] as const) : null;
  const shown = style < 0.35 || style > 0.9 ? null : asking;
  const events: SampleEvent[] = [{ ...eventOf(campaign, 'sale', 'listed', day, shown), range }];
  if (random.chance(0.12))
    events.push(eventOf(campaign, 'sale', 'price_changed', day + 14, Math.round(asking * 0.97)));
  const end = day + 20 + random.int(60);
  if (random.chance(0.1)) events.push(eventOf(campaign, 'sale', 'withdrawn', end, null));
  else {
    if (random.chance(0.1)) events.push(eventOf(campaign, 'sale', 'under_offer', end - 4, null));
    events.push(eventOf(campaign, 'sale', 'sold', end, random.chance(0.08) ? null : price));
  }
  return events;
};

const rental: Campaign = (home, market, campaign, day, random) => {
  const rent = weeklyRent(fairPrice(home, market, day), home.type, random);
  const events = [eventOf(campaign, 'rent', 'listed', day, rent)];
  if (random.chance(0.85)) events.push(eventOf(campaign, 'rent', 'leased', day + 7 + random.int(25), rent));
  return events;
};
