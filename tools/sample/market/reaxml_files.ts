import { join } from 'node:path';
import { DelimitedWriter } from '../formats/delimited_writer.ts';
import type { Truth } from '../truth.ts';
import { titled } from './address_text.ts';
import { DAYS } from './calendar.ts';
import type { SampleEvent } from './campaigns.ts';
import type { SampleHome } from './home.ts';
import { monthlyOf, type Telling } from './listing_row.ts';
import type { HomeType } from './price_model.ts';

/** Identifier of the agency in the sample. */
export const AGENT = 'SAMPLE';
const CATEGORIES: Readonly<Record<HomeType, string>> = {
  house: 'House',
  townhouse: 'Townhouse',
  duplex: 'DuplexSemi-detached',
  unit: 'Unit',
  apartment: 'Apartment',
  rural: 'AcreageSemi-rural',
};

/** Streams REAXML, a file for each year: a whole element for a listing, elements with ids and status alone for what follows. */
export class ReaxmlFiles {
  readonly #folder: string;
  readonly #truth: Truth;
  readonly #files = new Map<string, DelimitedWriter>();

  constructor(folder: string, truth: Truth) {
    this.#folder = folder;
    this.#truth = truth;
  }

  write(home: SampleHome, event: SampleEvent, telling: Telling): void {
    const date = DAYS[event.day]!;
    this.#writer(date.slice(0, 4)).line(elementOf(home, event, telling, date));
  }

  close(): void {
    for (const [year, writer] of this.#files) {
      this.#truth.count(`reaxml/${nameOf(year)}`, writer.rows);
      writer.line('</propertyList>');
      writer.close();
    }
  }

  #writer(year: string): DelimitedWriter {
    const known = this.#files.get(year);
    if (known !== undefined) return known;
    const head = `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE propertyList SYSTEM "propertyList.dtd">\n<propertyList date="${year}-12-31-23:00:00">`;
    const writer = new DelimitedWriter(join(this.#folder, nameOf(year)), head, '\n');
    this.#files.set(year, writer);
    return writer;
  }
}

const nameOf = (year: string): string => `sa_${year}.xml`;
const tag = (name: string, text: string | number, attributes = ''): string =>
  `<${name}${attributes}>${String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`;

function elementOf(home: SampleHome, event: SampleEvent, telling: Telling, date: string): string {
  const name = event.channel === 'rent' ? 'rental' : home.type === 'rural' ? 'rural' : 'residential';
  const status =
    { sold: 'sold', leased: 'leased', withdrawn: 'withdrawn' }[event.type as string] ?? 'current';
  const parts = [tag('agentID', AGENT), tag('uniqueID', telling.source_id)];
  if (event.type === 'listed') parts.push(...wholeOf(home, event, telling));
  else if (event.type === 'price_changed') parts.push(tag('price', event.price!, ' display="yes"'));
  else if (event.type === 'under_offer') parts.push('<underOffer value="yes"/>');
  else if (event.type === 'sold') {
    const shown = event.price === null ? '' : tag('price', event.price, ' display="yes"');
    parts.push(`<soldDetails>${shown}${tag('date', date)}</soldDetails>`);
  }
  return `<${name} modTime="${date}-18:00:00" status="${status}">${parts.join('')}</${name}>`;
}

function wholeOf(home: SampleHome, event: SampleEvent, telling: Telling): string[] {
  const { address } = home;
  const street = telling.street.replace(/^(U|Unit )?[^ ]*[/,] ?/, '').replace(/^[\d][^ ]* /, '');
  return [
    ...pricesOf(event, telling),
    `<address display="yes">${address.unit === '' ? '' : tag('subNumber', address.unit)}${tag('streetNumber', telling.form === 'no_number' ? '' : address.number)}${tag('street', street)}${tag('suburb', titled(address.suburb))}${tag('state', address.state.toLowerCase())}${tag('postcode', address.postcode)}</address>`,
    event.channel === 'rent' || home.type !== 'rural' ? `<category name="${CATEGORIES[home.type]}"/>` : '',
    tag('headline', 'For inspection'),
    tag('description', telling.advert.description),
    `<features>${tag('bedrooms', home.bedrooms)}${tag('bathrooms', home.bathrooms)}${tag('garages', home.parking)}${tag('carports', '')}<pool>${telling.advert.features.includes('presence_of_pool') ? 'yes' : 'no'}</pool></features>`,
    home.land_area_sqm > 0
      ? `<landDetails>${tag('area', home.land_area_sqm, ' unit="squareMeter"')}</landDetails>`
      : '',
    `<buildingDetails>${tag('area', (home.floor_area_sqm / 9.290304).toFixed(4), ' unit="square"')}</buildingDetails>`,
  ];
}

function pricesOf({ channel, price, range }: SampleEvent, { monthly }: Telling): string[] {
  if (channel === 'rent')
    return [
      monthly ? tag('rent', monthlyOf(price!), ' period="month"') : tag('rent', price!, ' period="week"'),
    ];
  if (range !== null) return [tag('priceView', `$${range[0]} - $${range[1]}`)];
  return price === null ? [tag('priceView', 'Contact agent')] : [tag('price', price, ' display="yes"')];
}
