// @ts-expect-error: plain JavaScript, which threads start from
import { programBundle } from '../loader/import_program.mjs';
import { keepThreads } from '../pipelines/tasks/threads.ts';

// A test imports the program file by file; the threads that it starts would each look for the bundle again.
await programBundle();
// Each starts half a second of loading; a test's refreshes follow one another.
keepThreads(2);
