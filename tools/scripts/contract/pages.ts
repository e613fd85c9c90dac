import { existsSync, readFileSync } from 'node:fs';
import { nextSnapshot } from './compare.ts';
import { type ContractSnapshot, snapshotOfCode, snapshotText } from './snapshot.ts';

const SNAPSHOT = 'docs/contract.json';

/** The contract that is committed; null: none is. */
export const committedSnapshot = (root: string): ContractSnapshot | null =>
  existsSync(root + SNAPSHOT)
    ? (JSON.parse(readFileSync(root + SNAPSHOT, 'utf8')) as ContractSnapshot)
    : null;

/** Pages of the data contract, by path from the repository root. @throws Error where its version is too low for the changes */
export const contractPages = (root: string): [path: string, text: string][] => [
  [SNAPSHOT, snapshotText(nextSnapshot(committedSnapshot(root), snapshotOfCode()))],
];
