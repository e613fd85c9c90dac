import { z } from 'zod';
import type { DatasetConfig } from '../adapter.ts';
import { parseOptions } from '../release/options.ts';

const STATES = ['ACT', 'NSW', 'NT', 'OT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'] as const;

/** Default number of geocodes of a pass: at about 45 bytes each they take 90 MB. */
const GEOCODES_IN_MEMORY = 2_000_000;

const optionsSchema = z.strictObject({
  states: z
    .array(z.enum(STATES))
    .min(1)
    .optional()
    .describe('States to read; all that the release has by default.'),
  mesh_block_year: z
    .number()
    .int()
    .optional()
    .describe('Year of the mesh-block tables to use; the newest that each state has by default.'),
  geocodes_in_memory: z
    .number()
    .int()
    .min(1)
    .default(GEOCODES_IN_MEMORY)
    .describe('Most geocodes held at once; a larger state is read in several passes.'),
});

/** Settings of the G-NAF adapter. */
export type GnafOptions = z.infer<typeof optionsSchema>;

/** Reads the options of a G-NAF dataset. EtlError `bad_option`. */
export const readGnafOptions = (dataset: DatasetConfig): GnafOptions => parseOptions(optionsSchema, dataset);
