import type { Config } from '../../schema/config.ts';
import type { Table } from '../../schema/table.ts';
import { nullableColumns, type Quartiles, type TableFacts } from '../../store/journal/counted_facts.ts';
import type { Delta } from '../../store/journal/differences.ts';
import { numericColumns } from '../../store/journal/table_facts.ts';
import type { AuditCheck } from '../report/report.ts';

/** Failed gates that an operator accepts, with the recorded reason. */
export interface Acceptance {
  gates: readonly string[];
  reason: string;
}

/** Gate that keeps rows unpublished after a rollback took them out of service. */
export const ROLLBACK_GATE = 'rollback';

/** Input of the gates of one table. */
export interface TableChange {
  table: Table;
  delta: Delta;
  facts: TableFacts;
  /** Facts at the last publication; undefined: unknown. */
  before: TableFacts | undefined;
  /** Quartiles before and after, for columns that changed much. */
  quartiles: Record<string, { before: Quartiles; after: Quartiles }>;
  /** Datasets that feed the table and have not been published before. */
  first: readonly string[];
}

type Limits = Omit<Config['gates'], 'tables' | 'datasets'> &
  Omit<Partial<Config['gates']['tables'][string]>, keyof Config['gates']>;

/** Returns the limits of one table: its own if set, else the general ones. */
function limitsOf(gates: Config['gates'], table: Table): Limits {
  const { tables, datasets: _datasets, ...general } = gates;
  const limits = Object.entries(tables[table.name] ?? {}).filter(([, value]) => value !== null);
  return { ...general, ...Object.fromEntries(limits) };
}

const percent = (fraction: number): string => `${(fraction * 100).toFixed(2)} %`;
const signedPercent = (fraction: number): string =>
  `${fraction < 0 ? '−' : '+'}${(Math.abs(fraction) * 100).toFixed(1)} %`;
/** Formats a number with thousands separators: a whole number in full, another with four significant digits. */
export const numberText = (value: number): string =>
  (Number.isInteger(value) ? value : Number(value.toPrecision(4))).toLocaleString('en-AU', {
    maximumFractionDigits: 20,
  });

/** Returns a check: passed if `ok`, else accepted if the operator accepts it, else failed. */
export function judge(
  check: string,
  table: string,
  ok: boolean,
  message: string,
  accepted: Acceptance,
): AuditCheck {
  const status = ok ? 'pass' : accepted.gates.includes(check) ? 'accepted' : 'fail';
  const note = status === 'accepted' ? ` Accepted: ${accepted.reason}` : '';
  return { check, table, status, message: message + note };
}

interface GateFinding {
  check: string;
  ok: boolean;
  message: string;
  /** Number of rows behind the fraction; absent: not a fraction of the last publication. */
  of?: number;
}

/**
 * Lets a finding pass if a first delivery explains it, and names the new datasets in its message. Use only for findings that add rows or
 * change values without removing any.
 */
function brought(finding: GateFinding, first: readonly string[]): GateFinding {
  if (finding.ok || first.length === 0) return finding;
  return { ...finding, ok: true, message: `${finding.message} First delivery of ${first.join(', ')}.` };
}

function rowFindings({ table, delta, first }: TableChange, limits: Limits): GateFinding[] {
  const { rows_before: before, rows_after: after } = delta;
  const check = `rows:${table.name}`;
  const findings: GateFinding[] = [];
  const { rows_min } = limits;
  if (rows_min !== undefined && rows_min !== null && after < rows_min) {
    findings.push({
      check,
      ok: false,
      message: `${numberText(after)} rows, ${numberText(rows_min - after)} below the minimum of ${numberText(rows_min)}.`,
    });
  }
  if (before === 0) return findings;
  const change = (after - before) / before;
  const max = limits.rows_change_max;
  const message = `${numberText(before)} → ${numberText(after)} rows, ${percent(change)} (limit ${percent(max)}).`;
  const grown: GateFinding = { check, ok: Math.abs(change) <= max, message, of: before };
  findings.push(change > 0 ? brought(grown, first) : grown);
  // Share of the rows before and after together, so at most 1.
  const touched = (delta.inserted + delta.updated + delta.deleted) / (before + delta.inserted);
  const touching = {
    check: `changed:${table.name}`,
    ok: touched <= limits.rows_touched_max,
    message: `${percent(touched)} of the rows changed (limit ${percent(limits.rows_touched_max)}).`,
    of: before,
  };
  findings.push(brought(touching, first));
  return findings;
}

function nullFindings({ table, delta, facts, before, first }: TableChange, limits: Limits): GateFinding[] {
  return Object.entries(facts.nulls).flatMap(([column, nulls]) => {
    const check = `nulls:${table.name}.${column}`;
    const share = nulls / Math.max(1, delta.rows_after);
    const max = limits.null_share_max?.[column];
    if (max !== undefined && share > max) {
      const message = `${percent(share)} nulls in ${column}, ${percent(share - max)} above the limit of ${percent(max)}.`;
      return [{ check, ok: false, message }];
    }
    // Reason columns are null if there is a value, so more nulls are good.
    const isReason = column === 'reason' || column.endsWith('_reason');
    if (delta.rows_before === 0 || !before || isReason) return [];
    const nullsBefore = before.nulls[column] ?? nulls;
    const shareBefore = nullsBefore / delta.rows_before;
    const rise = share - shareBefore;
    if (rise <= limits.null_share_rise_max) return [];
    const message = `share of nulls in ${column} rose by ${percent(rise)}, from ${percent(shareBefore)} to ${percent(share)} (limit ${percent(limits.null_share_rise_max)}).`;
    const lost = delta.rows_before - nullsBefore - (delta.rows_after - nulls);
    const of = Math.min(delta.rows_before, delta.rows_after);
    const finding: GateFinding = { check, ok: false, message, of };
    return [lost <= 0 ? brought(finding, first) : finding];
  });
}

function medianFindings({ table, quartiles, first }: TableChange, limits: Limits): GateFinding[] {
  return Object.entries(quartiles).flatMap(([column, { before, after }]) => {
    if (before.median === null || after.median === null || before.median === after.median) return [];
    const spread = before.high! - before.low!;
    const scale = Math.max(Math.abs(before.median), spread) || Math.abs(after.median);
    const difference = Math.abs(after.median - before.median);
    const shift = difference / scale;
    const change = (after.median - before.median) / Math.abs(before.median);
    const changed = before.median === 0 ? '' : `, ${signedPercent(change)}`;
    // If values vary widely, the difference is compared with their interquartile range.
    const limit = percent(limits.median_shift_max);
    const measured =
      spread > Math.abs(before.median)
        ? `, ${percent(shift)} of the range between its quartiles, ${numberText(spread)} (limit ${limit})`
        : ` (limit ${limit})`;
    const message = `median of ${column} ${numberText(before.median)} → ${numberText(after.median)}${changed}${measured}.`;
    const check = `median:${table.name}.${column}`;
    const of = Math.min(before.values, after.values);
    return [brought({ check, ok: shift <= limits.median_shift_max, message, of }, first)];
  });
}

function coverageFindings({ table, facts, before }: TableChange, limits: Limits): GateFinding[] {
  const findings: GateFinding[] = [];
  const check = (state: string): string => `coverage:${table.name}.${state}`;
  for (const [state, least] of Object.entries(limits.states_min ?? {})) {
    const rows = facts.states[state] ?? 0;
    if (rows >= least) continue;
    findings.push({
      check: check(state),
      ok: false,
      message: `${numberText(rows)} rows in ${state}, ${numberText(least - rows)} below the minimum of ${numberText(least)}.`,
    });
  }
  for (const [state, was] of Object.entries(before?.states ?? {})) {
    const rows = facts.states[state] ?? 0;
    const drop = (was - rows) / was;
    if (drop <= limits.coverage_drop_max) continue;
    const message = `${numberText(was)} → ${numberText(rows)} rows in ${state}, ${percent(-drop)} (limit ${percent(limits.coverage_drop_max)}).`;
    findings.push({ check: check(state), ok: false, message, of: was });
  }
  return findings;
}

/** Returns the check for a finding. A fraction of too few rows does not fail. */
function judgeFinding(
  { check, ok, message, of }: GateFinding,
  table: string,
  least: number,
  accepted: Acceptance,
): AuditCheck {
  if (ok || of === undefined || of >= least) return judge(check, table, ok, message, accepted);
  const few = `${message} Too few rows to judge: ${numberText(of)}, minimum ${numberText(least)} (judged_rows_min).`;
  return { check, table, status: 'too_few', message: few };
}

/** Returns the gates of one table: changes since the last publication, and absolute limits. */
export function tableGates(change: TableChange, config: Config, accepted: Acceptance): AuditCheck[] {
  const limits = limitsOf(config.gates, change.table);
  return [rowFindings, nullFindings, medianFindings, coverageFindings]
    .flatMap((gate) => gate(change, limits))
    .map((finding) => judgeFinding(finding, change.table.name, limits.judged_rows_min, accepted));
}

/** Returns the names of gates that an operator can accept. Keys and references cannot be accepted. */
export function acceptableGates(tables: readonly Table[], states: readonly string[]): string[] {
  return [
    ROLLBACK_GATE,
    ...tables.flatMap((table) => [
      `rows:${table.name}`,
      `changed:${table.name}`,
      ...nullableColumns(table).map((name) => `nulls:${table.name}.${name}`),
      ...numericColumns(table).map((name) => `median:${table.name}.${name}`),
      ...('state' in table.columns ? states.map((state) => `coverage:${table.name}.${state}`) : []),
    ]),
  ];
}
