import { importProgram } from '../loader/import_program.mjs';

await importProgram('cli/main.ts');
