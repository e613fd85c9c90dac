import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

interface Entry {
  integrity?: string;
  link?: boolean;
  optional?: boolean;
  os?: string[];
  hasInstallScript?: boolean;
  engines?: { node?: string } | string[];
}

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const packages = Object.entries(
  (JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> }).packages,
).filter(([place]) => place !== '');
const nameOf = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 13);

/** Optional packages for other platforms that the registry which made the lock file does not carry. */
const NOT_CARRIED = [
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-linux-arm64-musl',
  '@biomejs/cli-linux-x64-musl',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@msgpackr-extract/msgpackr-extract-darwin-arm64',
  '@msgpackr-extract/msgpackr-extract-darwin-x64',
  '@msgpackr-extract/msgpackr-extract-linux-arm',
  '@msgpackr-extract/msgpackr-extract-win32-x64',
];

it('every package of the lock file has its integrity, but optional ones for platforms that the registry has not', () => {
  const without = packages.filter(([, { integrity, link }]) => !integrity && !link);
  expect(without.map(([place]) => nameOf(place)).filter((name) => !NOT_CARRIED.includes(name))).toEqual([]);
  for (const [place, { optional, os }] of without)
    expect([place, optional, os?.length]).toEqual([place, true, 1]);
  for (const [place, { integrity }] of packages)
    if (integrity) expect([place, integrity]).toEqual([place, expect.stringMatching(/^sha512-/)]);
});

it('every package with an install script is listed and justified, and none is run', () => {
  const page = read('SECURITY.md');
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript);
  for (const [place] of scripted) expect(page).toContain(`\`${nameOf(place)}\``);
  expect(read('tools/scripts/setup.mjs')).toContain("'--ignore-scripts'");
});

it('every package runs on each Node.js that this program runs on, so that installing it warns of none', () => {
  const { satisfies } = createRequire(import.meta.url)('semver') as {
    satisfies: (version: string, range: string) => boolean;
  };
  for (const version of ['20.19.0', '22.13.0', '24.0.0'])
    for (const [place, { engines }] of packages) {
      const range = Array.isArray(engines) ? undefined : engines?.node;
      if (range !== undefined) expect(satisfies(version, range), `${place} asks for ${range}`).toBe(true);
    }
});
