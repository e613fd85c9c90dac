import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../source_tree.ts';
import { type Scene, setScene } from './scene.ts';

/** A program of somebody who has the package. */
const PROGRAM = `import { batch, changes, dataOf, propertyData, Refused } from 'property-data-client';

const [baseUrl, key, address, ...ids] = process.argv.slice(2) as [string, string, string, ...string[]];
const client = propertyData({ baseUrl, key });
const found = dataOf(await client.GET('/v1/geocode/address', { params: { query: { address } } }));
const gnaf_id = found.data?.gnaf_pid;
if (!gnaf_id) throw new Error('which property do you mean?');
const { data } = dataOf(await client.GET('/v1/properties/{gnaf_id}/profile', { params: { path: { gnaf_id } } }));
const state: string | undefined = data?.state;
const areas: (number | undefined)[] = [];
let cents = 0;
for await (const { answers } of batch(client, { ids, endpoints: ['basics/land-area-sqm'] })) {
  const answer = answers?.['basics/land-area-sqm'];
  cents += answer?.cost_cents ?? 0;
  areas.push(answer?.body.data?.land_area_sqm);
}
let pages = 0;
for await (const page of changes(client, { since: 1, ids: [gnaf_id] })) pages += page.changes.length === 0 ? 1 : 100;
const refused = await (async () => dataOf(await client.GET('/v1/changes', { params: { query: { since: 99 } } })))().catch((error) => error);
// @ts-expect-error there is no such endpoint
void (() => batch(client, { ids, endpoints: ['nothing'] }));
console.log(JSON.stringify({ gnaf_id, state, areas: areas.length, cents, pages, refused: refused instanceof Refused && refused.status }));
`;

/** The same for Python. */
const PYTHON = `import json, sys
from property_data_client import PropertyData, Refused

base_url, key, address, *ids = sys.argv[1:]
client = PropertyData(base_url, key)
found = client.geocode_address(address=address).data
state = client.properties_profile(found.gnaf_pid).data.state
results = list(client.batches(["basics/land-area-sqm"], ids=ids))
answers = [each.answers.basics_land_area_sqm for each in results]
pages = [len(page.changes) for page in client.pages_of_changes(since=1, ids=[found.gnaf_pid])]
refused = None
try:
    client.changes(since=99)
except Refused as error:
    refused = error.status
print(json.dumps({"gnaf_id": found.gnaf_pid, "state": state, "areas": len(answers),
    "cents": sum(each.cost_cents for each in answers), "pages": sum(1 if n == 0 else 100 for n in pages), "refused": refused}))
`;

describe('the packages of the clients', () => {
  let scene: Scene;
  let folder: string;
  const files: string[] = [];

  const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
    promisify(execFile)(command, args, { cwd: folder, env }).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`${error.stdout}\n${error.stderr}`);
      },
    );

  beforeAll(async () => {
    scene = await setScene();
    folder = join(scene.dir, 'client-packages');
    mkdirSync(folder);
    await run(process.execPath, [join(ROOT, 'tools/scripts/clients/pack.mjs'), folder]);
    files.push(...readdirSync(folder).sort());
  });
  afterAll(() => scene?.close());

  /** What a program says of a service where one call is let in at once and four a second, and what it cost. */
  const saidBy = async (
    name: string,
    program: (args: string[]) => Promise<{ stdout: string }>,
  ): Promise<void> => {
    const service = await scene.start(['service.rate_per_s=4', 'service.rate_burst=1']);
    const { key, account_id } = await scene.funded(name, 100_000);
    const homes = await scene.database.query<{ gnaf_pid: string; address: string }>(
      'SELECT gnaf_pid, address FROM serving.property ORDER BY gnaf_pid LIMIT 120',
    );
    const ids = homes.map(({ gnaf_pid }) => gnaf_pid);
    const said = JSON.parse((await program([service.base_url, key, homes[0]!.address, ...ids])).stdout) as {
      cents: number;
    };
    expect(said).toEqual({
      gnaf_id: ids[0],
      state: expect.any(String),
      areas: 120,
      cents: expect.any(Number),
      pages: 1,
      refused: 422,
    });
    // A match, a profile, the batch and the changes; what was refused or repeated cost nothing.
    expect(await scene.wallet(account_id)).toMatchObject({ spent: 1 + 3 + said.cents + 1, adds_up: true });
  };

  it('TypeScript: compiles strictly, obeys the rate limit, and returns the answers of the service', async () => {
    const own = join(folder, 'node_modules/property-data-client');
    mkdirSync(own, { recursive: true });
    await run('tar', [
      '-xzf',
      files.find((name) => name.endsWith('.tgz'))!,
      '-C',
      own,
      '--strip-components=1',
    ]);
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const flags = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', 'program.ts'];
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...strict, ...flags]);
    await saidBy('typescript', (args) => run(process.execPath, ['program.js', ...args]));
  });

  it('Python: runs on its own, obeys the rate limit, and returns the answers of the service', async () => {
    await run('tar', ['-xzf', files.find((name) => name.endsWith('.tar.gz'))!, '--strip-components=1']);
    writeFileSync(join(folder, 'program.py'), PYTHON);
    const env = { ...process.env, PYTHONPATH: folder };
    await saidBy('python', (args) => run('python3', ['-W', 'error', 'program.py', ...args], env));
  });
});
