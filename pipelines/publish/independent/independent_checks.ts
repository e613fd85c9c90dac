import type pg from 'pg';
import type { Config } from '../../../schema/config.ts';
import type { AuditCheck } from '../../report/report.ts';
import type { Acceptance } from '../gates.ts';
import { Facts } from './facts.ts';
import { RECOMPUTE } from './recompute.ts';
import { readSampledHomes, type Sample } from './sampled_homes.ts';

/**
 * Recomputes the published values of a sample of homes with Turf, from the records, and returns a gate for each table. `tables`: those that
 * are published with their records; null: all.
 */
export async function independentChecks(
  client: pg.ClientBase,
  config: Config,
  { ids, of }: Sample,
  accepted: Acceptance,
  tables: ReadonlySet<string> | null,
): Promise<AuditCheck[]> {
  if (ids.length === 0) return [];
  const homes = await readSampledHomes(client, ids);
  const checks: AuditCheck[] = [];
  for (const [table, recompute] of Object.entries(RECOMPUTE)) {
    if (!(tables?.has(table === 'parcel' ? 'property' : table) ?? true)) continue;
    const facts = new Facts();
    await recompute(client, config, homes, facts);
    checks.push(facts.gate(table, of, accepted));
  }
  return checks;
}
