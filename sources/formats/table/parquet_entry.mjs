// Starts from plain JavaScript: Node 20 reads no TypeScript.
import '../end_with_parent.mjs';
import { importProgram } from '../../../loader/import_program.mjs';

await importProgram('sources/formats/table/parquet_process.ts');
