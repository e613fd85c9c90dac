import { z } from 'zod';
import type { DatasetConfig } from '../adapter.ts';
import { marketOptions } from '../market/market_options.ts';
import { parseOptions } from '../release/options.ts';

const optionsSchema = z.strictObject({
  ...marketOptions,
  /** Source of rows that state none. */
  source: z
    .string()
    .min(1)
    .max(60)
    .nullish()
    .transform((source) => source ?? null),
});

export type ListingOptions = z.output<typeof optionsSchema>;

/** Reads the options of a dataset of listing events. EtlError `bad_option`. */
export const readListingOptions = (dataset: DatasetConfig): ListingOptions =>
  parseOptions(optionsSchema, dataset);
