// @ts-expect-error: plain JavaScript, which threads start from
import { programBundle } from '../loader/import_program.mjs';

// A test imports the program file by file; the threads that it starts would each look for the bundle again.
await programBundle();
