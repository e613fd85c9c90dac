import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { FULL_SUITE, LONGEST } from './test/suites.ts';
import { HANG_MS } from './test/waiting.ts';

const EVERY = 'test/**/*.test.ts';

/** What both suites share. */
const shared = {
  setupFiles: ['test/setup_threads.ts'],
  pool: 'forks' as const,
  // A test waits for its database and for leases a sixth of its time: two files at once leave two cores idle for that long.
  maxWorkers: 3,
  // No test leaves anything in a module that another one reads; importing the program anew for each file takes 238 s of CPU in all, this 65 s.
  isolate: false,
  testTimeout: HANG_MS,
  hookTimeout: HANG_MS,
};

/** The longest files first: of one that begins last the other workers wait for the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Of the whole run and not of a project, so that both suites at once share one server.
    globalSetup: ['test/global_setup.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'quick',
          include: [EVERY],
          exclude: [...configDefaults.exclude, ...FULL_SUITE],
        },
      },
      { test: { ...shared, name: 'full', include: [...FULL_SUITE] } },
    ],
  },
});
