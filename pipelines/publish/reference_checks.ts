import type pg from 'pg';
import { type Reference, references } from '../../schema/serving/references.ts';
import type { Table } from '../../schema/table.ts';
import type { Delta } from '../../store/journal/differences.ts';
import { findOrphans, type Orphans } from '../../store/journal/orphans.ts';
import type { AuditCheck } from '../report/report.ts';
import { numberText } from './gates.ts';

const targetOf = ({ to, toColumn }: Reference): string => `${to.name}.${toColumn}`;

/** Checks references between the serving tables of this graph. No operator can accept broken ones. */
export async function referenceChecks(
  client: pg.ClientBase,
  deltas: ReadonlyMap<string, Delta>,
  tables: readonly Table[],
): Promise<AuditCheck[]> {
  const all = references(tables);
  const orphansOf = new Map<Reference, Orphans>();
  for (const target of new Set(all.map(targetOf))) {
    const group = all.filter((reference) => targetOf(reference) === target);
    const orphans = await findOrphans(client, group, deltas);
    for (const [i, reference] of group.entries()) orphansOf.set(reference, orphans[i]!);
  }
  return all.map((reference) => {
    const { from, column, to } = reference;
    const { rows, examples } = orphansOf.get(reference)!;
    const message =
      rows === 0
        ? `every ${column} is in ${to.name}.`
        : `${numberText(rows)} rows have a ${column} that is not in ${to.name}, for example ${examples.join('; ')}.`;
    return {
      check: column === 'gnaf_pid' ? `references:${from.name}` : `references:${from.name}.${column}`,
      table: from.name,
      status: rows === 0 ? 'pass' : 'fail',
      message,
    };
  });
}
