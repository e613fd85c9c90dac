import { defineConfig } from 'vitest/config';
import { HANG_MS } from './test/waiting.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global_setup.ts'],
    setupFiles: ['test/setup_threads.ts'],
    pool: 'forks',
    // A test waits for its database and for leases a sixth of its time: two files at once leave two cores idle for that long.
    maxWorkers: 3,
    // No test leaves anything in a module that another one reads; importing the program anew for each file takes 238 s of CPU in all, this 65 s.
    isolate: false,
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
  },
});
