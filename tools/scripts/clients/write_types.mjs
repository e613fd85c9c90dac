// Writes the types of a client: node tools/scripts/clients/write_types.mjs <OpenAPI document> <types.ts>
import { readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';

// The generator prints through the API of TypeScript 5, which TypeScript 7 has no more; @ts-morph/common carries it.
const api = `data:text/javascript,${encodeURIComponent(`import { ts } from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))}; export default ts;`)}`;
const hook = `export const resolve = (name, context, next) =>
  name === 'typescript' ? { url: ${JSON.stringify(api)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const [document, types] = process.argv.slice(2);
const { default: generate, astToString } = await import('openapi-typescript');
writeFileSync(types, astToString(await generate(JSON.parse(readFileSync(document, 'utf8')))));
