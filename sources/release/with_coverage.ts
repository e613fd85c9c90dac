import { z } from 'zod';
import { COVERAGE_RECORDS, type CoverageTheme } from '../../schema/records/coverage.ts';
import type { DatasetConfig, SourceAdapter } from '../adapter.ts';
import { coverageOption, isCoverage, NATIONAL, planCoverage, readCoverage } from './coverage.ts';
import { badOption, parseOptions } from './options.ts';
import { withGaps } from './with_gaps.ts';

const optionSchema = z.looseObject({ coverage: coverageOption, state: z.string().optional() });

/** Reads the options of this module. */
function readOwn(dataset: DatasetConfig): z.output<typeof optionSchema> {
  const ownOptions = parseOptions(optionSchema, dataset);
  if (ownOptions.coverage !== 'state' || ownOptions.state !== undefined) return ownOptions;
  throw badOption(
    dataset,
    'coverage: state needs the option state; name the states instead, for example coverage: {states: [VIC]}',
  );
}

/** Returns a dataset without the option `coverage`, for the wrapped adapter. */
function without(dataset: DatasetConfig): DatasetConfig {
  const { coverage: _coverage, ...options } = dataset.options;
  return { ...dataset, options };
}

/**
 * Adds the option `coverage` to an adapter of point features: where its datasets have every feature of the theme. Absent: nowhere, so no
 * feature near a place does not mean that none exists. EtlError `bad_option` for `coverage: state` of a dataset without the option `state`.
 */
export function withCoverage(theme: CoverageTheme, adapter: SourceAdapter): SourceAdapter {
  return {
    ...adapter,
    tables: [...adapter.tables, ...COVERAGE_RECORDS],
    checkOptions(dataset) {
      readOwn(dataset);
      adapter.checkOptions(without(dataset));
    },
    async discover(dataset) {
      const ownOptions = readOwn(dataset);
      const covered = await planCoverage(
        without(dataset),
        theme,
        ownOptions.state ?? NATIONAL,
        ownOptions.coverage,
        false,
      );
      const { release, parts } = await adapter.discover(covered.features);
      return {
        release: { ...release, dataset, notes: [...release.notes, ...covered.notes] },
        parts: [...parts, ...covered.parts],
      };
    },
    async *readPart(release, part, context) {
      if (isCoverage(part.source)) yield* readCoverage(part.source, context.signal);
      else yield* withGaps(adapter.readPart(release, part, context), release.dataset.id, theme, part.id);
    },
  };
}
