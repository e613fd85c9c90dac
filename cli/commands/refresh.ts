import { refresh } from '../../pipelines/refresh.ts';
import type { RunReport } from '../../pipelines/report.ts';
import { EtlError } from '../../schema/errors.ts';
import { withDatabase } from '../database.ts';
import { EXIT } from '../exit.ts';
import { type ConfigFlags, type LoadedConfig, loadConfig } from '../load_config.ts';
import { progressFor } from '../progress.ts';
import { renderReport } from '../render.ts';

interface RefreshFlags extends ConfigFlags {
  json?: boolean;
  rehash?: boolean;
  accept?: string[];
  reason?: string;
}

const EXIT_OF: Record<RunReport['state'], number> = {
  published: EXIT.ok,
  unchanged: EXIT.ok,
  failed: EXIT.failed,
  refused: EXIT.refused,
};

/** Refreshes with a loaded configuration and prints the report. Sets the exit code. */
export async function runRefresh(
  loaded: LoadedConfig,
  flags: RefreshFlags,
  command: string,
): Promise<RunReport> {
  const gates = flags.accept ?? [];
  if (gates.length > 0 && !flags.reason) {
    throw new EtlError('config_invalid', '--accept needs --reason: it is recorded with the publication.');
  }
  const report = await withDatabase(loaded.config, (url) =>
    refresh({
      url,
      config: loaded.config,
      base: loaded.base,
      progress: progressFor(flags.json ?? false),
      command,
      rehash: flags.rehash ?? false,
      accepted: { gates, reason: flags.reason ?? '' },
    }),
  );
  process.stdout.write(`${flags.json ? JSON.stringify(report) : renderReport(report)}\n`);
  process.exitCode = EXIT_OF[report.state];
  return report;
}

export async function refreshCommand(flags: RefreshFlags): Promise<void> {
  const loaded = await loadConfig(flags);
  if (Object.keys(loaded.config.datasets).length === 0) {
    throw new EtlError(
      'config_no_datasets',
      'The configuration names no datasets. Give one with --config; config/ has examples.',
    );
  }
  await runRefresh(loaded, flags, 'refresh');
}
