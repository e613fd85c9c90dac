// Writes CONTRACT_VERSION from the newest heading of docs/contract_changelog.md: a version is stated where it is explained.
import { readFileSync, writeFileSync } from 'node:fs';

const at = (path) => new URL(`../../../${path}`, import.meta.url);
const newest = /^## (\d+\.\d+\.\d+)$/m.exec(readFileSync(at('docs/contract_changelog.md'), 'utf8'));
if (newest === null) throw new Error('docs/contract_changelog.md has no heading of the form "## 1.2.3".');
const module = readFileSync(at('contract/service/version.ts'), 'utf8');
writeFileSync(
  at('contract/service/version.ts'),
  module.replace(/(CONTRACT_VERSION = ')[^']+/, `$1${newest[1]}`),
);
