import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../source_tree.ts';

/** An address that counts as public, of the loopback interface of the test's own network. */
const PUBLIC = '93.184.215.14';
const ADDRESSES = [
  `${PUBLIC}/32`,
  '169.254.169.254/32',
  'fd00:ec2::254/128',
  '64:ff9b::7f00:1/128',
  '64:ff9b::a9fe:a9fe/128',
];
const NETWORK = ['ip link set lo up', ...ADDRESSES.map((address) => `ip addr add ${address} dev lo`)].join(
  ' && ',
);
const PROCESS = fileURLToPath(new URL('./rebinding_process.ts', import.meta.url));
/** A user, mounts and a network of its own, so that the test has a name server and a public address without touching the machine. */
const OWN_NETWORK = ['-r', '-m', '-n', 'sh', '-c'];

const isPossible =
  spawnSync('unshare', [...OWN_NETWORK, `${NETWORK} && mount --bind /dev/null /etc/resolv.conf`]).status ===
  0;
if (!isPossible)
  console.warn('SKIPPED: names that change their address, because unshare makes no network here.');

interface Sent {
  sender: string;
  mayGoInside: boolean;
  host: string;
  outcome: string;
  arrivals: string[];
}

describe.skipIf(!isPossible)('messages and downloads to names whose addresses change', () => {
  let dir: string;
  let sent: Sent[];
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'rebinding-'));
    const resolver = join(dir, 'resolv.conf');
    await writeFile(resolver, 'nameserver 127.0.0.1\noptions timeout:2 attempts:2\n');
    const script = `${NETWORK} && mount --bind ${resolver} /etc/resolv.conf && exec ${process.execPath} --import tsx ${PROCESS} ${PUBLIC}`;
    const { stdout } = await promisify(execFile)('unshare', [...OWN_NETWORK, script], { cwd: ROOT });
    sent = JSON.parse(stdout) as Sent[];
  }, 120_000);
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const SENDERS = ['watch', 'notice', 'download'];
  const to = (sender: string, host: string, mayGoInside = false): Sent[] =>
    sent.filter((item) => item.sender === sender && item.host === host && item.mayGoInside === mayGoInside);

  it.each(SENDERS)('%s: arrive at a public address, and at none that the name has later', (sender) => {
    expect(to(sender, 'public.test/')).toMatchObject([{ arrivals: [PUBLIC] }]);
    expect(to(sender, 'checked.test/')).toMatchObject([
      { arrivals: [PUBLIC] },
      { arrivals: [], outcome: expect.stringContaining('failed') },
    ]);
  });

  it.each(SENDERS)('%s: reach no address inside, whatever its notation or its neighbours', (sender) => {
    for (const name of ['inside', 'both', 'mapped', 'nat64', 'metadata', 'metadata6', 'metadata64'])
      expect(to(sender, `${name}.test/`), name).toMatchObject([
        { arrivals: [], outcome: expect.stringMatching(/not (a )?public/) },
      ]);
  });

  it.each(SENDERS)('%s: follow no redirect of a public receiver to an address inside', (sender) => {
    expect(to(sender, 'public.test/redirect')).toMatchObject([
      { arrivals: [PUBLIC], outcome: expect.stringContaining('failed') },
    ]);
  });

  it.each(SENDERS)('%s: reach no metadata service, even if private addresses are allowed', (sender) => {
    for (const name of ['metadata', 'metadata6', 'metadata64'])
      expect(to(sender, `${name}.test/`, true), name).toMatchObject([
        { arrivals: [], outcome: expect.stringContaining('failed') },
      ]);
  });
});
