import type { ContractSnapshot } from './snapshot.ts';

/** What differs between two contracts, in words. */
export interface ContractChanges {
  /** A reader of the old contract may fail. */
  breaking: string[];
  /** A reader of the old contract does not notice. */
  additions: string[];
}

type Relied = ContractSnapshot['endpoints'][string]['payload'][string];
type Side = 'params' | 'payload' | 'beside';

/** Goes through the names of two records: gone, come, and in both. */
function each<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  on: {
    gone: (name: string) => void;
    come: (name: string, value: T) => void;
    both: (name: string, a: T, b: T) => void;
  },
): void {
  for (const [name, value] of Object.entries(before)) {
    if (name in after) on.both(name, value, after[name]!);
    else on.gone(name);
  }
  for (const [name, value] of Object.entries(after)) if (!(name in before)) on.come(name, value);
}

const isSubset = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((value) => b.includes(value));

/** Whether every value that `a` allows is allowed by `b`. */
function isNarrower(a: Relied, b: Relied): boolean {
  const values = b.values === null || (a.values !== null && isSubset(a.values, b.values));
  const min = b.min === null || (a.min !== null && a.min >= b.min);
  const max = b.max === null || (a.max !== null && a.max <= b.max);
  const types = isSubset(a.types, b.types) || (isSubset(a.types, ['integer']) && b.types.includes('number'));
  return values && min && max && types && (b.nullable || !a.nullable) && (b.optional || !a.optional);
}

/**
 * What changed of one value. A payload may promise more than before (fewer values, no null) without harm; a new value of a closed list
 * is an addition. A parameter may accept more than before.
 */
function compareValue(side: Side, where: string, a: Relied, b: Relied, changes: ContractChanges): void {
  if (JSON.stringify(a) === JSON.stringify(b)) return;
  const widened = a.values !== null && b.values !== null && isSubset(a.values, b.values);
  const listed = widened ? { ...b, values: a.values } : b;
  const harmless = side === 'params' ? isNarrower(a, b) : isNarrower(listed, a);
  (harmless ? changes.additions : changes.breaking).push(`${where} changed`);
}

function compareFields(
  side: Side,
  where: string,
  a: Readonly<Record<string, Relied>>,
  b: Readonly<Record<string, Relied>>,
  changes: ContractChanges,
): void {
  each(a, b, {
    gone: (name) => changes.breaking.push(`${where} ${side} ${name} removed`),
    come: (name, value) => {
      const isRequired = side === 'params' && !value.optional && !name.includes('[]');
      (isRequired ? changes.breaking : changes.additions).push(`${where} ${side} ${name} added`);
    },
    both: (name, x, y) => compareValue(side, `${where} ${side} ${name}`, x, y, changes),
  });
}

/** What changed from one contract to another. Texts count as nothing. */
export function compareContracts(before: ContractSnapshot, after: ContractSnapshot): ContractChanges {
  const changes: ContractChanges = { breaking: [], additions: [] };
  each(before.tables, after.tables, {
    gone: (name) => changes.breaking.push(`table ${name} removed`),
    come: (name) => changes.additions.push(`table ${name} added`),
    both: (name, a, b) => {
      if (a.key.join() !== b.key.join()) changes.breaking.push(`table ${name} has another key`);
      each(a.columns, b.columns, {
        gone: (column) => changes.breaking.push(`${name}.${column} removed`),
        come: (column) => changes.additions.push(`${name}.${column} added`),
        both: (column, x, y) => {
          if (x === y) return;
          (x === `${y} null` ? changes.additions : changes.breaking).push(
            `${name}.${column} was ${x}, is ${y}`,
          );
        },
      });
    },
  });
  each(before.endpoints, after.endpoints, {
    gone: (path) => changes.breaking.push(`endpoint ${path} removed`),
    come: (path) => changes.additions.push(`endpoint ${path} added`),
    both: (path, a, b) => {
      compareFields('params', path, a.params, b.params, changes);
      compareFields('payload', path, a.payload, b.payload, changes);
      compareFields('beside', path, a.beside ?? {}, b.beside ?? {}, changes);
    },
  });
  return changes;
}

/** The version that a contract must have at least, given the one before and what changed. */
export function neededVersion(before: string, { breaking, additions }: ContractChanges): string {
  const [major, minor, patch] = before.split('.').map(Number) as [number, number, number];
  if (breaking.length > 0) return `${major + 1}.0.0`;
  return additions.length > 0 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch}`;
}

/** Whether version `a` is `b` or later. */
export function isAtLeast(a: string, b: string): boolean {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const at = x.findIndex((part, i) => part !== y[i]);
  return at < 0 || x[at]! > y[at]!;
}

/**
 * The snapshot to commit after the one that is committed; null: none is. Throws where the contract changed and its version says less
 * than that.
 */
export function nextSnapshot(committed: ContractSnapshot | null, code: ContractSnapshot): ContractSnapshot {
  if (committed === null) return code;
  const changes = compareContracts(committed, code);
  const needed = neededVersion(committed.version, changes);
  if (isAtLeast(code.version, needed)) return code;
  const list = [...changes.breaking, ...changes.additions].slice(0, 20).join('; ');
  throw new Error(
    `The data contract changed (${list}). The newest version in docs/contract_changelog.md is ${code.version} and must be ${needed} at least: say there what changed, and run npm run docs.`,
  );
}
