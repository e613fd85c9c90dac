import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { makeSample, refreshSample } from '../pipelines/sample_run.ts';
import { openFolder } from './fixture.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROPERTY = 'GAVIC900000001';
const run = promisify(execFile);

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = openFolder();
  database = await createDatabase();
  await makeSample(join(folder, 'sample'), 200, 1);
  await refreshSample(database, join(folder, 'sample'));
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the package of the read contract', () => {
  const NAME = 'property-data-contract';
  let home: string;
  beforeAll(async () => {
    home = join(folder, 'consumer');
    const modules = join(home, 'node_modules');
    mkdirSync(modules, { recursive: true });
    await run(process.execPath, ['scripts/contract/pack.mjs', home], { cwd: ROOT });
    const [packed] = readdirSync(home).filter((name) => name.endsWith('.tgz'));
    execFileSync('tar', ['-xzf', join(home, packed!), '-C', modules]);
    execFileSync('mv', [join(modules, 'package'), join(modules, NAME)]);
    // Nothing else is there to be found.
    for (const name of ['kysely', 'pg', 'zod'])
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
    for (const name of ['example.mjs', 'example.ts'])
      copyFileSync(join(modules, NAME, 'examples', name), join(home, name));
  });

  it('answers plain Node', async () => {
    const { stdout } = await run(process.execPath, ['example.mjs', database.url, PROPERTY], { cwd: home });
    expect(JSON.parse(stdout)).toMatchObject({
      contract: CONTRACT_VERSION,
      profile: { data: { state: 'VIC', mesh_block: expect.any(String) } },
    });
  });

  it('is typed: an example compiles strictly, runs, and a payload that is read wrongly does not compile', async () => {
    const compile = (file: string) =>
      run(
        process.execPath,
        [
          join(ROOT, 'node_modules/typescript/bin/tsc'),
          ...['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--outDir', '.'],
          ...['--typeRoots', join(ROOT, 'node_modules/@types'), file],
        ],
        { cwd: home },
      );
    await compile('example.ts');
    const { stdout } = await run(process.execPath, ['example.js', database.url, PROPERTY], { cwd: home });
    const [first] = await database.query<{ gnaf_pid: string; land_area_sqm: number }>(
      'SELECT gnaf_pid, land_area_sqm FROM serving.property ORDER BY gnaf_pid LIMIT 1',
    );
    const said = JSON.parse(stdout);
    expect([said.sa2, said.properties[0]]).toEqual(['Springfield', first]);
    expect(said.properties).toHaveLength(3);
    writeFileSync(
      join(home, 'wrong.ts'),
      `import { ask, connect, profile } from '${NAME}';\nconst answer = await ask(profile, connect(''), '');\nif (answer.data !== null) console.log(answer.data.sa2_name);\n`,
    );
    const wrong = await compile('wrong.ts').catch((error) => error.stdout as string);
    expect(wrong).toContain("Property 'sa2_name' does not exist");
  });
});
