import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseOptions } from '../../../sources/release/options.ts';

const dataset = (options: Record<string, unknown>) => ({
  id: 'x',
  files: [],
  release: null,
  crs: null,
  options,
});

describe('an unknown option', () => {
  it.each([
    [
      z.strictObject({ field_map: z.string().optional(), state: z.string().optional() }),
      'map',
      /"map" \(did you mean field_map\?\)/,
    ],
    [
      z.strictObject({ field_map: z.string().optional(), state: z.string().optional() }),
      'sate',
      /"sate" \(did you mean state\?\)/,
    ],
    [z.strictObject({ field_map: z.string().optional() }), 'licence', /"licence"\. Correct/],
    [z.strictObject({}), 'state', /"state"\. Correct/],
  ])('is refused with the one that it may mean', (schema, key, message) => {
    expect(() => parseOptions(schema, dataset({ [key]: 'a' }))).toThrow(message);
  });
});
