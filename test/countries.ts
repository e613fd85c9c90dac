/** Which datasets of a sample country are configured. */
export type SampleDatasets = 'victoria' | 'core' | 'all';

/** A sample country: what its generator is given. */
export interface Country {
  properties: number;
  seed: number;
  datasets: SampleDatasets;
  /** True: with ten years of sales and rents of some houses (test/pipelines/sale_history.ts). */
  has_history?: boolean;
}

/** Addresses, parcels, regions and zones of every state: the country of a test that names no other. */
export const SMALL: Country = { properties: 300, seed: 5, datasets: 'core' };

/** Every dataset: markets, models, hazards, places and figures of suburbs. */
export const WHOLE: Country = { properties: 900, seed: 6, datasets: 'all' };

/** Of every dataset as much as pages and maps need that a browser draws. */
export const TOWN: Country = { properties: 400, seed: 3, datasets: 'all' };

/** As many properties of every dataset as show what is rare, and give models sales enough to be judged on. */
export const LARGE: Country = { properties: 4000, seed: 16, datasets: 'all' };

/** The least with sales enough for figures of every level and pocket, and for models of two states. */
export const TRADED: Country = { properties: 1500, seed: 21, datasets: 'all', has_history: true };

/** Of SMALL the least that every stage of the engine has something to do with: it is computed again and again while workers are lost. */
export const VICTORIA: Country = { ...SMALL, datasets: 'victoria' };
