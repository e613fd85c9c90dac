import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { nextSnapshot } from './compare.ts';
import { payloadsPage, schemaPages } from './payload_pages.ts';
import { picturePage } from './picture.ts';
import { type ContractSnapshot, snapshotOfCode, snapshotText } from './snapshot.ts';

const SNAPSHOT = 'docs/contract.json';
const SCHEMAS = 'docs/json_schema';

/** The contract that is committed; null: none is. */
export const committedSnapshot = (root: string): ContractSnapshot | null =>
  existsSync(root + SNAPSHOT)
    ? (JSON.parse(readFileSync(root + SNAPSHOT, 'utf8')) as ContractSnapshot)
    : null;

/** Pages of the data contract, by path from the repository root. Throws where its version says less than what changed. */
export const contractPages = (root: string, notice: string): [path: string, text: string][] => [
  ['docs/payloads.md', payloadsPage(notice)],
  ['docs/serving_tables.md', picturePage(notice)],
  ...schemaPages(),
  [SNAPSHOT, snapshotText(nextSnapshot(committedSnapshot(root), snapshotOfCode()))],
];

/** Schema files that no endpoint has any more. */
export function staleSchemas(root: string): string[] {
  if (!existsSync(root + SCHEMAS)) return [];
  const current = schemaPages();
  return readdirSync(root + SCHEMAS)
    .map((name) => `${SCHEMAS}/${name}`)
    .filter((path) => !current.has(path));
}
