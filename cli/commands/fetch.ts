import { type FetchFailure, fetchDatasets } from '../../pipelines/fetch/fetch.ts';
import type { FetchResult } from '../../pipelines/fetch/fetch_dataset.ts';
import type { FetchRetry } from '../../pipelines/fetch/persistence.ts';
import type { Config } from '../../schema/config.ts';
import { maskText } from '../../store/system/mask_url.ts';
import { EXIT, exitOf } from '../exit.ts';
import { type ConfigFlags, loadConfig } from '../load_config.ts';
import { logProgress, openLog } from '../log.ts';
import { printLine, printStatus } from '../print.ts';
import { progressFor } from '../progress.ts';
import { redact } from '../redact.ts';
import { columns } from '../render.ts';

export interface FetchFlags extends ConfigFlags {
  json?: boolean;
  check?: boolean;
  due?: boolean;
  force?: boolean;
}

type FetchOutcome = FetchResult | FetchFailure;

/** Exit codes in the order of urgency. */
const GRAVEST: readonly number[] = [EXIT.usage, EXIT.failed, EXIT.source, EXIT.locked];

/** Exit code of a command that fetched several datasets: the most urgent one. */
export function fetchExit(outcomes: readonly FetchOutcome[]): number {
  const codes = outcomes.flatMap((each) => (each.action === 'failed' ? [exitOf(each.code)] : []));
  return GRAVEST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

function size(bytes: number): string {
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return `${value.toLocaleString('en-AU', { maximumFractionDigits: 1 })} ${unit}`;
}

function render(outcomes: readonly FetchOutcome[]): string {
  if (outcomes.length === 0)
    return 'nothing is due: no dataset has a download address (datasets.<name>.fetch)';
  const rows = outcomes.map((each) =>
    each.action === 'failed'
      ? [each.dataset, 'failed', '', '', `${each.code}: ${each.message}`]
      : [
          each.dataset,
          each.action,
          each.release ?? '-',
          each.release === null ? '' : size(each.bytes),
          each.note,
        ],
  );
  return columns(rows);
}

function retryLog(config: Config, json: boolean): (failed: FetchRetry) => void {
  if (config.log.format === 'json') {
    const log = openLog(config.log.level);
    return ({ message: error, ...failed }) =>
      log.warn({ ...failed, error }, 'download interrupted, trying again');
  }
  return (failed) => {
    const { dataset, wait_s, message } = failed;
    const line = json
      ? JSON.stringify({ event: 'retrying', ...failed, message: maskText(message) })
      : `${dataset}: ${maskText(message)} Trying again in ${Math.round(wait_s * 10) / 10} s.`;
    printStatus(line);
  };
}

/** Fetches datasets and prints the outcome of each. Sets the exit code. */
export async function fetchCommand(names: string[], flags: FetchFlags): Promise<void> {
  const { config } = await loadConfig(flags);
  const json = flags.json ?? false;
  const outcomes = await fetchDatasets(names, {
    config,
    env: process.env,
    progress: config.log.format === 'json' ? logProgress(openLog(config.log.level)) : progressFor(json),
    onRetry: retryLog(config, json),
    checkOnly: flags.check ?? false,
    dueOnly: flags.due ?? false,
    force: flags.force ?? false,
  });
  const text = json ? JSON.stringify({ datasets: redact(outcomes) }) : maskText(render(outcomes));
  printLine(text);
  process.exitCode = fetchExit(outcomes);
}
