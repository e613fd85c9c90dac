// Worker threads start from plain JavaScript: Node 20 does not apply a TypeScript loader to the entry file of a thread.
import { importProgram } from '../../loader/import_program.mjs';

await importProgram('pipelines/tasks/task_thread.ts');
