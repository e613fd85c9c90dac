import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import type { InputAccount } from '../../sources/adapter.ts';
import { isJudged, type RejectShare, rejectShares, shareName } from '../ingest/reject_shares.ts';
import type { AuditCheck } from '../report/report.ts';
import { type Acceptance, judge, numberText } from './gates.ts';

/**
 * Tables read through a field map. With a map that does not fit its delivery, no rows are loaded, or classes missing from the map are lost.
 */
const MAPPED: ReadonlySet<string> = new Set(
  [parcelRecord, zonePieceRecord, overlayPieceRecord, hazardPieceRecord, schoolRecord].map(
    (table) => table.name,
  ),
);

/** Accounts of the inputs of one dataset. */
export interface LoadedAccounts {
  readonly dataset: string;
  readonly accounts: readonly InputAccount[];
}

/** SQL for datasets with loads newer than the last publication. */
const NEW_LOADS = `SELECT dataset, jsonb_agg(accounts ORDER BY part) AS accounts FROM control.load
  WHERE state = 'active' AND dataset IN (SELECT dataset FROM control.load WHERE state = 'active'
    AND run_id > COALESCE((SELECT max(run_id) FROM control.publication), 0))
  GROUP BY dataset ORDER BY dataset`;

/** Lists values with their row counts, highest first: `Coastal Hazard (12), … and 3 more`. */
export function valueList(values: Readonly<Record<string, number>>, most = 20): string {
  const sorted = Object.entries(values).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const examples = sorted.slice(0, most).map(([value, rows]) => `${value} (${numberText(rows)})`);
  return sorted.length > most
    ? `${examples.join(', ')} and ${numberText(sorted.length - most)} more`
    : examples.join(', ');
}

/** Sums counts by name over the accounts of a dataset. */
export function summed(
  accounts: readonly InputAccount[],
  of: (account: InputAccount) => Readonly<Record<string, number>> | undefined,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const account of accounts)
    for (const [name, rows] of Object.entries(of(account) ?? {})) sums[name] = (sums[name] ?? 0) + rows;
  return sums;
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, rows) => sum + rows, 0);

/** Returns the gate on rejects of a dataset, by file and table; none if no row is rejected. */
function rejectGate(
  { dataset, accounts }: LoadedAccounts,
  { gates }: Pick<Config, 'gates'>,
  accepted: Acceptance,
): AuditCheck[] {
  const shares = rejectShares(accounts).filter(({ rejects }) => rejects > 0);
  if (shares.length === 0) return [];
  const most = gates.datasets[dataset]?.rejects_share_max ?? gates.rejects_share_max;
  const isOver = ({ rows, rejects }: RejectShare): boolean => rejects > most * rows;
  const judgedShares = shares.filter(isJudged);
  const over = judgedShares.filter(isOver);
  const examples = (over.length > 0 ? over : shares).map(
    (share) => [shareName(share), share.rejects / share.rows, share] as const,
  );
  const texts = examples
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, 20)
    .map(
      ([name, share, { rows, rejects }]) =>
        `${name} ${numberText(rejects)} of ${numberText(rows)}, ${(share * 100).toFixed(2)} %`,
    );
  const message = `rejected rows (limit ${(most * 100).toFixed(2)} %): ${texts.join('; ')}${examples.length > 20 ? `; and ${examples.length - 20} more` : ''}.`;
  const check = `rejects:${dataset}`;
  if (over.length > 0 || !shares.some(isOver))
    return [judge(check, dataset, over.length === 0, message, accepted)];
  const few = `${message} Too few rejects or rows to judge.`;
  return [{ check, table: dataset, status: 'too_few', message: few }];
}

/** Returns the gates of datasets: rejects, and for tables read through a field map, loaded rows and unknown classes. */
export function datasetGates(
  loads: readonly LoadedAccounts[],
  config: Pick<Config, 'gates'>,
  accepted: Acceptance,
): AuditCheck[] {
  return loads.flatMap((load) => [
    ...mapGates(load, config, accepted),
    ...rejectGate(load, config, accepted),
  ]);
}

function mapGates(
  { dataset, accounts }: LoadedAccounts,
  { gates }: Pick<Config, 'gates'>,
  accepted: Acceptance,
): AuditCheck[] {
  const mapped = accounts.filter(({ table }) => table !== null && MAPPED.has(table));
  if (mapped.length === 0) return [];
  const ownGates = gates.datasets[dataset];
  const rowsIn = mapped.reduce((sum, account) => sum + account.rows_in, 0);
  const records = mapped.reduce((sum, account) => sum + account.records, 0);
  const least = ownGates?.records_min ?? 1;
  const drops = valueList(summed(mapped, (account) => account.drops)) || 'none';
  const rejects = mapped.reduce((sum, account) => sum + account.rejects, 0);
  const loaded = `${numberText(records)} of ${numberText(rowsIn)} rows loaded (at least ${numberText(least)} required); dropped: ${drops}; rejected: ${numberText(rejects)}.`;
  const unknown = summed(mapped, (account) => account.unknown);
  const share = rowsIn === 0 ? 0 : total(unknown) / rowsIn;
  const most = ownGates?.unknown_share_max ?? gates.unknown_share_max;
  const strange = `${numberText(total(unknown))} of ${numberText(rowsIn)} rows, ${(share * 100).toFixed(2)} %, have a class missing from the field map (limit ${(most * 100).toFixed(2)} %): ${valueList(unknown)}.`;
  return [
    judge(`loaded:${dataset}`, dataset, records >= least, loaded, accepted),
    ...(share > 0 ? [judge(`unknown:${dataset}`, dataset, share <= most, strange, accepted)] : []),
  ];
}

/** Returns the gates of datasets loaded since the last publication. */
export async function newDatasetGates(
  client: pg.ClientBase,
  config: Pick<Config, 'gates'>,
  accepted: Acceptance,
): Promise<AuditCheck[]> {
  const { rows } = await client.query<{ dataset: string; accounts: InputAccount[][] }>(NEW_LOADS);
  const loads = rows.map(({ dataset, accounts }) => ({ dataset, accounts: accounts.flat() }));
  return datasetGates(loads, config, accepted);
}

/** Returns the names of dataset gates that an operator can accept. */
export const acceptableDatasetGates = (datasets: readonly string[]): string[] =>
  datasets.flatMap((dataset) => [`loaded:${dataset}`, `unknown:${dataset}`, `rejects:${dataset}`]);
