import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../source_tree.ts';
import { setScene } from './scene.ts';

const PAGE = readFileSync(`${ROOT}docs/ten_lines.md`, 'utf8');
const EXAMPLE = '12 Acland St, St Kilda VIC';

/** The lines of a language on the page, about an address of the sample. */
const linesOf = (language: string, address: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)![1]!.replaceAll(EXAMPLE, address);

it('docs/ten_lines.md: its lines for the shell and for Python say what a property is worth, or why that is not known', async () => {
  const scene = await setScene();
  try {
    const service = await scene.start(['service.rate_per_s=100', 'service.rate_burst=100']);
    const { key } = await scene.funded('lines', 1000);
    const [row] = await scene.database.query<{ address: string }>(
      'SELECT address FROM serving.property WHERE gnaf_pid = $1',
      [scene.pid],
    );
    const env = { ...process.env, BASE: service.base_url, KEY: key };
    const run = async (command: string, ...args: string[]) =>
      (await promisify(execFile)(command, args, { env })).stdout;
    // jq is not on every machine; node reads the same member.
    const jq = `node -p 'JSON.parse(require("fs").readFileSync(0)).data.gnaf_pid'`;
    const shell = linesOf('sh', row!.address).replace('jq -r .data.gnaf_pid', jq);
    expect(JSON.parse(await run('bash', '-euc', shell))).toMatchObject({
      data: null,
      no_data: 'not_covered',
    });
    expect(await run('python3', '-c', linesOf('python', row!.address))).toBe('None\n');
    const [free] = await scene.database.query<{ public_text: string }>(
      'SELECT public_text FROM account.key WHERE public_text IS NOT NULL',
    );
    const sandbox = { headers: { authorization: `Bearer ${free!.public_text}` } };
    const samples = await fetch(`${service.base_url}/api/sandbox_sample`, sandbox);
    const [sample] = (await samples.json()) as { address: string; gnaf_pid: string }[];
    const found = await fetch(
      `${service.base_url}/v1/geocode/address?address=${encodeURIComponent(sample!.address)}`,
      sandbox,
    );
    expect((await found.json()) as object).toMatchObject({ data: { gnaf_pid: sample!.gnaf_pid } });
    // The guide's own lines are about a sample and have the address and the key, so they run as they are.
    const guide = await (await fetch(`${service.base_url}/guide`)).text();
    const blocks = [...guide.matchAll(/<code class="language-sh">([\s\S]*?)<\/code>/g)].map(([, code]) =>
      code!
        .replaceAll('&#39;', "'")
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    );
    expect(blocks.length).toBeGreaterThanOrEqual(2);
    expect(guide).not.toMatch(/Acland|GAVIC900000002/);
    const own = blocks.join('\n').replace('jq -r .data.gnaf_pid', jq);
    const { stdout } = await promisify(execFile)('bash', ['-euc', own]);
    expect(JSON.parse(stdout)).toMatchObject({ data: null, no_data: 'not_covered' });
  } finally {
    await scene.close();
  }
});
