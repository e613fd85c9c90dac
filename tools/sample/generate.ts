import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { LEVELS } from './asgs/fields.ts';
import { specialRegions } from './asgs/special.ts';
import { AsgsWriter, asgsFile } from './asgs/writer.ts';
import { writeBadRows } from './bad_rows.ts';
import { CensusWriter } from './census/country.ts';
import { writeDeliveries } from './deliveries/writer.ts';
import { stateQuotas, tileSize } from './geography/layout.ts';
import { STATES } from './geography/places.ts';
import { closeTables, GNAF_ZIP, GnafRelease, memberName, type StateTables } from './gnaf/release.ts';
import type { GnafTable } from './gnaf/tables.ts';
import { NationalWriter } from './hazards/national_writer.ts';
import { MarketWriter } from './market/writer.ts';
import { PlacesWriter } from './places/writer.ts';
import { SchoolsWriter } from './schools/writer.ts';
import { type SampleContext, StateBuilder } from './state_builder.ts';
import { TransportWriter } from './transport/writer.ts';
import { Truth } from './truth.ts';

export interface SampleOptions {
  /** Live principal addresses wanted, at least 100. */
  readonly properties: number;
  readonly seed: number;
  /**
   * Homes that may come on the market, 20,000 by default; of `properties` all do, with 1.3 events each in ten years, which is the rate of the
   * nation.
   */
  readonly market_homes?: number;
  /** Folder to write into; the sample's own subfolders are replaced. */
  readonly out: string;
  /** Called after every suburb with the properties written so far. */
  onProgress?(done: number): void;
}

/** What was written. */
export interface SampleSummary {
  /** Live principal addresses: exactly as many as were asked for. */
  readonly properties: number;
  /** Rows of ADDRESS_DETAIL, aliases, retired and bad ones included. */
  readonly addresses: number;
  /** Ground parcels, without the rows to be dropped. */
  readonly parcels: number;
  readonly suburbs: number;
  readonly states: Readonly<
    Record<string, { properties: number; addresses: number; parcels: number; suburbs: number }>
  >;
  /** Size of the G-NAF zip. */
  readonly gnaf_zip_bytes: number;
}

const FOLDERS = [
  'gnaf',
  'asgs',
  'cadastre',
  'planning',
  'overlays',
  'hazards',
  'schools',
  'census',
  'seifa',
  'transport',
  'places',
  'listings',
  'reaxml',
  'nsw_psi',
  'deliveries',
  'truth',
] as const;
const LEAST_PROPERTIES = 100;
/** Properties up to which the adjoining parcels of every suburb are listed; beyond, of a share of them. */
const ADJOINING_ALL = 20_000;
/** Homes that may come on the market where nothing else is asked for: of a larger country, a share. */
const MARKET_HOMES = 20_000;

/**
 * Writes a made-up country in the publishers' formats: G-NAF (zip of PSV), ABS boundaries, state cadastres, zones,
 * overlays and hazards (in each state's format and CRS), schools, Census and SEIFA, public transport, places, listings and sales, other forms of deliveries that no dataset is configured for, and its truth beside it (truth.ts). The same properties and seed give the same bytes.
 * Memory does not grow with the number of properties: one suburb is held at a time.
 */
export async function generateSampleCountry(options: SampleOptions): Promise<SampleSummary> {
  const { properties, seed, out, onProgress } = options;
  if (!Number.isInteger(properties) || properties < LEAST_PROPERTIES) {
    throw new RangeError(
      `properties is ${properties}: a sample country needs a whole number of at least ${LEAST_PROPERTIES}`,
    );
  }
  for (const folder of FOLDERS) {
    rmSync(join(out, folder), { recursive: true, force: true });
    mkdirSync(join(out, folder), { recursive: true });
  }
  const truth = new Truth(join(out, 'truth'));
  const asgs = new AsgsWriter(join(out, 'asgs'));
  const national = new NationalWriter(out, truth);
  const adjoiningEvery = Math.max(1, Math.ceil(properties / ADJOINING_ALL));
  const context: SampleContext = {
    seed,
    out,
    size: tileSize(properties),
    truth,
    asgs,
    national,
    census: new CensusWriter(out, seed, truth),
    schools: new SchoolsWriter(out, seed, truth),
    transport: new TransportWriter(out, truth),
    places: new PlacesWriter(out, truth),
    market: new MarketWriter(
      out,
      seed,
      truth,
      Math.ceil(properties / (options.market_homes ?? MARKET_HOMES)),
    ),
    adjoiningEvery,
  };
  const release = new GnafRelease(join(out, 'gnaf'));
  const quotas = stateQuotas(properties);
  const states: Record<string, SampleSummary['states'][string]> = {};
  let done = 0;
  for (const [index, place] of STATES.entries()) {
    const tables = release.open(place.code, place.digit, place.name);
    const builder = new StateBuilder(context, place, quotas[index]!, tables);
    while (builder.room > 0) {
      builder.addSuburb();
      onProgress?.(done + builder.addresses.properties);
      await turn();
    }
    const bad = writeBadRows(place, tables, builder, truth);
    builder.finish();
    finishTables(place.code, tables, truth);
    done += builder.addresses.properties;
    states[place.code] = {
      properties: builder.addresses.properties,
      addresses: builder.addresses.addresses + bad,
      parcels: builder.cadastre.parcels,
      suburbs: builder.suburbs,
    };
  }
  finishTables('OT', release.open('OT', '9', 'Other Territories'), truth);
  for (const [level, rows] of Object.entries(asgs.counts())) {
    truth.count(
      `asgs/${asgsFile(level as (typeof LEVELS)[number])}.shp`,
      rows + specialRegions(level as (typeof LEVELS)[number]).length,
    );
  }
  asgs.close();
  national.close();
  await context.census.finish();
  await context.schools.finish();
  await context.transport.finish();
  await context.places.finish();
  await context.market.finish();
  writeDeliveries(out, truth);
  truth.close();
  await release.finish();
  return summarise(states, statSync(join(out, 'gnaf', GNAF_ZIP)).size);
}

function finishTables(state: string, tables: StateTables, truth: Truth): void {
  closeTables(tables);
  for (const [table, writer] of Object.entries(tables))
    truth.count(memberName(state, table as GnafTable), writer.rows);
}

function summarise(states: SampleSummary['states'], gnaf_zip_bytes: number): SampleSummary {
  const total = (of: 'properties' | 'addresses' | 'parcels' | 'suburbs'): number =>
    Object.values(states).reduce((sum, state) => sum + state[of], 0);
  return {
    properties: total('properties'),
    addresses: total('addresses'),
    parcels: total('parcels'),
    suburbs: total('suburbs'),
    states,
    gnaf_zip_bytes,
  };
}
