/**
 * Writes what is said of every endpoint into a folder, for the package of the contract: payloads.md, a JSON Schema of each payload and set of
 * parameters, and the OpenAPI document. Usage: tsx tools/scripts/contract/write_pages.ts <folder>
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RATE_CARD, RATE_CARD_VERSION } from '../../../contract/service/rate_card.ts';
import { openApi } from '../../../service/routes/openapi.ts';
import { payloadsPage, schemaPages } from './payload_pages.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: tsx tools/scripts/contract/write_pages.ts <folder>');
mkdirSync(join(folder, 'json_schema'), { recursive: true });
writeFileSync(join(folder, 'payloads.md'), payloadsPage());
for (const [name, text] of schemaPages()) writeFileSync(join(folder, 'json_schema', name), text);
const document = openApi('http://127.0.0.1:8080', RATE_CARD, RATE_CARD_VERSION);
writeFileSync(join(folder, 'openapi.json'), `${JSON.stringify(document, null, 1)}\n`);
