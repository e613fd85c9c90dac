import { existsSync, readFileSync } from 'node:fs';
import { nextSnapshot } from './compare.ts';
import { picturePage } from './picture.ts';
import { type ContractSnapshot, snapshotOfCode, snapshotText } from './snapshot.ts';

const SNAPSHOT = 'docs/contract.json';

/** The contract that is committed; null: none is. */
export const committedSnapshot = (root: string): ContractSnapshot | null =>
  existsSync(root + SNAPSHOT)
    ? (JSON.parse(readFileSync(root + SNAPSHOT, 'utf8')) as ContractSnapshot)
    : null;

/** Pages of the data contract, by path from the repository root. Throws where its version says less than what changed. */
export const contractPages = (root: string, notice: string): [path: string, text: string][] => [
  ['docs/serving_tables.md', picturePage(notice)],
  [SNAPSHOT, snapshotText(nextSnapshot(committedSnapshot(root), snapshotOfCode()))],
];
