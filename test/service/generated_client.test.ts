import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../service/server.ts';
import { ROOT } from '../source_tree.ts';
import { type Scene, setScene } from './scene.ts';

/** What somebody writes who has nothing but the generated types. */
const CLIENT = `import createClient from 'openapi-fetch';
import type { components, paths } from './types.js';

const [baseUrl, key] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const samples = await client.GET('/api/sandbox_sample');
const [sample] = samples.data!;
const gnaf_id: string = sample!.gnaf_pid;
const profile = await client.GET('/v1/properties/{gnaf_id}/profile', { params: { path: { gnaf_id } } });
const state: string | undefined = profile.data?.data?.state;
const amenities = await client.GET('/v1/properties/{gnaf_id}/amenities/nearby', {
  params: { path: { gnaf_id }, query: { radius_m: 500 } },
});
const radius: number | undefined = amenities.data?.data?.radius_m;
const reason = amenities.data?.no_data;
const risks = await client.GET('/v1/properties/{gnaf_id}/risks/all', { params: { path: { gnaf_id } } });
const isFlooded: boolean | undefined = risks.data?.data?.flood?.[0]?.on_property;
const flood: string | undefined = risks.data?.layers?.historical_flood;
// @ts-expect-error there is no such layer
void risks.data?.data?.locusts;
const property = await client.POST('/v1/property', { body: { id: gnaf_id } });
const me = await client.GET('/v1/me');
const sandbox: boolean = me.data!.sandbox;
const wrong = await client.GET('/v1/properties/{gnaf_id}/amenities/nearby', {
  params: { path: { gnaf_id }, query: { radius_m: 9 } },
});
const finding: components['schemas']['Validation'] = wrong.error as components['schemas']['Validation'];
// @ts-expect-error radius_m is a number
void (() => client.GET('/v1/properties/{gnaf_id}/amenities/nearby', { params: { path: { gnaf_id }, query: { radius_m: 'far' } } }));
// @ts-expect-error there is no such path
void (() => client.GET('/v1/nothing'));
console.log(JSON.stringify({ state, radius, flood, isFlooded, reason, sandbox, property: property.response.status, finding: finding.detail[0]!.type }));
`;

describe('a client generated from the OpenAPI document', () => {
  let scene: Scene;
  let service: Service;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start();
  });
  afterAll(() => scene?.close());

  it('compiles, and calls the service', async () => {
    const folder = join(scene.dir, 'client');
    mkdirSync(folder);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const at = (name: string): string => join(folder, name);
    writeFileSync(at('openapi.json'), await (await fetch(`${service.base_url}/openapi.json`)).text());
    writeFileSync(at('package.json'), '{"type":"module"}');
    writeFileSync(at('client.ts'), CLIENT);
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
        (error: { stdout: string; stderr: string }) => {
          throw new Error(`${error.stdout}\n${error.stderr}`);
        },
      );
    await run(join(ROOT, 'tools/scripts/clients/write_types.mjs'), at('openapi.json'), at('types.ts'));
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    await run(
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      ...strict,
      ...['--module', 'nodenext', '--target', 'es2022', '--types', 'node', 'client.ts'],
    );
    const { stdout } = await run('client.js', service.base_url, service.sandbox_key);
    expect(JSON.parse(stdout)).toEqual({
      state: expect.any(String),
      // The sample of this test has neither hazards nor places.
      flood: 'not_covered',
      reason: 'not_covered',
      sandbox: true,
      property: 200,
      finding: 'greater_than_equal',
    });
  });
});
