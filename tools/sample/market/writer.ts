import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StatePlace } from '../geography/places.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import { type Random, seededRandom } from '../random.ts';
import type { Truth } from '../truth.ts';
import { addressLine, drawForm, streetLine } from './address_text.ts';
import { drawAdvert } from './advert.ts';
import { DAYS } from './calendar.ts';
import { drawEvents, type SampleEvent } from './campaigns.ts';
import { EventFiles } from './event_files.ts';
import { homeOf, type ListedAddress, type SampleHome } from './home.ts';
import { FEED, type ListingRow, listingRow, type Telling, toldPrice } from './listing_row.ts';
import { drawMarket, type SuburbMarket } from './price_model.ts';
import { PsiFiles } from './psi_files.ts';
import { AGENT, ReaxmlFiles } from './reaxml_files.ts';
import { SalesTable } from './sales_table.ts';

/** Every so many suburbs has a station, as in transport. */
const STATION_EVERY = 3;

/**
 * Streams what happened on the property market in ten years: the event contract for most states (NDJSON for Queensland), REAXML
 * for South Australia, and the sales of New South Wales also as its register publishes them, those of Tasmania also as a table. Prices follow a known model
 * (price_model.ts).
 */
export class MarketWriter {
  readonly #seed: number;
  readonly #truth: Truth;
  readonly #events: EventFiles;
  readonly #reaxml: ReaxmlFiles;
  readonly #psi: PsiFiles;
  readonly #table: SalesTable;
  readonly #every: number;
  #addresses = 0;
  #good: ListingRow | null = null;

  /** `every`: one address in so many has a market. */
  constructor(out: string, seed: number, truth: Truth, every = 1) {
    this.#every = every;
    const folder = (name: string): string => {
      mkdirSync(join(out, name), { recursive: true });
      return join(out, name);
    };
    this.#seed = seed;
    this.#truth = truth;
    this.#events = new EventFiles(folder('listings'), truth);
    this.#reaxml = new ReaxmlFiles(folder('reaxml'), truth);
    this.#psi = new PsiFiles(folder('nsw_psi'), seed, truth);
    this.#table = new SalesTable(join(folder('sales'), 'tasmania.csv'), 'sales/tasmania.csv', truth);
  }

  /** The market of a suburb; `k` is its number in the state. */
  suburb(place: StatePlace, k: number, land: SuburbLand): SuburbMarket {
    const schools = land.blocks.filter(({ use }) => use === 'school').map(({ lots }) => lots[0]!.anchor);
    const random = seededRandom(this.#seed, `market ${place.code} ${k}`);
    return {
      state: place.code,
      country: land.site.town >= 0,
      random,
      ...drawMarket(random),
      stations: k % STATION_EVERY === 0 ? [[(land.x0 + land.x1) / 2, land.y0 + 4]] : [],
      schools,
    };
  }

  /** The market of the stations around a country town. */
  rural(place: StatePlace, town: number): SuburbMarket {
    const random = seededRandom(this.#seed, `market rural ${place.code} ${town}`);
    return { state: place.code, country: true, random, ...drawMarket(random), stations: [], schools: [] };
  }

  /** Everything that happens to the home at an address. */
  home(listed: ListedAddress, market: SuburbMarket): void {
    if (this.#addresses++ % this.#every !== 0) return;
    const { random } = market;
    const home = homeOf(listed, random);
    if (home === null) return;
    let telling: Telling | null = null;
    let campaign = 0;
    for (const event of drawEvents(home, market, random)) {
      if (telling === null || event.campaign !== campaign) {
        campaign = event.campaign;
        telling = tellingOf(home, campaign, random);
      }
      this.#write(home, event, telling, listed);
    }
  }

  async finish(): Promise<void> {
    if (this.#good !== null) {
      this.#events.badRows(this.#good);
    }
    await this.#events.finish();
    this.#reaxml.close();
    await this.#psi.finish();
    this.#table.close();
  }

  #write(home: SampleHome, event: SampleEvent, telling: Telling, { locality }: ListedAddress): void {
    if (home.state === 'SA') {
      this.#reaxml.write(home, event, telling);
      this.#know('reaxml_sa|reaxml', `${AGENT}/${telling.source_id}`, home, event, telling);
      return;
    }
    const row = listingRow(home, event, telling);
    if (home.state === 'QLD') this.#events.json(row);
    else this.#events.csv(row);
    if (event.type === 'sold' && home.state !== 'QLD' && event.price !== null) this.#good ??= row;
    this.#know(`listings|${FEED}`, telling.source_id, home, event, telling);
    if (event.type !== 'sold' || event.price === null) return;
    if (home.state === 'TAS')
      this.#know(
        'sales_tas|sales_tas',
        this.#table.sale(home, event.day, event.price, telling.street),
        home,
        event,
        telling,
      );
    if (home.state !== 'NSW') return;
    const district = String(Number(locality.regions.lga) % 1000).padStart(3, '0');
    const id = this.#psi.sale({ home, day: event.day, price: event.price, district });
    this.#know('nsw_psi|nsw_vg', id, home, event, { ...telling, form: 'abbreviated' });
  }

  #know(feed: string, id: string, home: SampleHome, event: SampleEvent, telling: Telling): void {
    this.#truth.files.market_events.line(
      `${feed}|${id}|${event.type}|${DAYS[event.day]},${home.pid},${event.channel},${toldPrice(event, telling) ?? ''},${telling.form},${home.type},${home.bedrooms},${home.bathrooms},${home.parking},${telling.advert.features.join(';')}`,
    );
  }
}

/** Draws how the agent tells a campaign. */
function tellingOf(home: SampleHome, campaign: number, random: Random): Telling {
  const form = drawForm(home.address, random);
  const street = streetLine(home.address, form, random);
  return {
    source_id: `L${home.pid.slice(2)}-${campaign}`,
    form,
    street,
    address: addressLine(home.address, street),
    advert: drawAdvert(home, home.address.suburb.toLowerCase(), random),
    features_stated: random.chance(0.5),
    pid_given: random.chance(0.05),
    point_given: random.chance(0.3),
    monthly: random.chance(0.12),
  };
}
