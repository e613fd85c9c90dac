import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Writes the files `key` and `certificate` of a server that signs its certificate itself. */
export function makeCertificate(dir: string): void {
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const openssl = spawnSync('openssl', [
    ...args,
    '-keyout',
    join(dir, 'key'),
    '-out',
    join(dir, 'certificate'),
  ]);
  if (openssl.status !== 0) throw new Error(String(openssl.stderr));
}
