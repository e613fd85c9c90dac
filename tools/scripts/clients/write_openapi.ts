/** Writes the OpenAPI document as a client is generated from: tsx tools/scripts/clients/write_openapi.ts <file>. */
import { writeFileSync } from 'node:fs';
import { RATE_CARD, RATE_CARD_VERSION } from '../../../contract/service/rate_card.ts';
import { openApi } from '../../../service/routes/openapi.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: tsx tools/scripts/clients/write_openapi.ts <file>');
writeFileSync(file, JSON.stringify(openApi('https://localhost', RATE_CARD, RATE_CARD_VERSION)));
