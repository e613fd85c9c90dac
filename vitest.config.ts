import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global_setup.ts'],
    setupFiles: ['test/setup_threads.ts'],
    pool: 'forks',
    // Much of a test's time is waiting for its database, so that two files at once pay on any machine of two cores.
    maxWorkers: 2,
    // No test leaves anything in a module that another one reads; importing the program anew for each file takes 238 s of CPU in all, this 65 s.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
