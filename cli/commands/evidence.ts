import { writeEvidence } from '../../pipelines/export/evidence.ts';
import { EtlError } from '../../schema/errors.ts';
import type { LoadedConfig } from '../load_config.ts';
import { printLine } from '../print.ts';
import { withClient } from './inspect.ts';
import { loadWithDatasets, type RefreshFlags, runRefresh } from './refresh.ts';

interface EvidenceFlags extends Omit<RefreshFlags, 'tables' | 'only' | 'skip'> {
  out: string;
}

/** The configuration without evidence that was written down before: sales are described as they are today. */
function withoutEvidence(loaded: LoadedConfig): LoadedConfig {
  const datasets = Object.fromEntries(
    Object.entries(loaded.config.datasets).filter(([, { adapter }]) => adapter !== 'evidence'),
  );
  return { ...loaded, config: { ...loaded.config, datasets } };
}

/** Brings the sales up to date and writes them down; what is valued by them follows with the next refresh. */
export async function evidenceCommand(flags: EvidenceFlags): Promise<void> {
  if (flags.out.trim() === '') throw new EtlError('config_invalid', '--out is empty: give a folder.');
  const loaded = withoutEvidence(await loadWithDatasets(flags));
  const report = await runRefresh(loaded, { ...flags, only: 'valuation_sale' }, 'evidence');
  if (report.state === 'failed' || report.state === 'refused') return;
  const { file, as_of, sales, rents } = await withClient(loaded.config, (client) =>
    writeEvidence(client, flags.out),
  );
  const n = (count: number): string => count.toLocaleString('en-AU');
  printLine(
    flags.json
      ? JSON.stringify({ file, as_of, sales, rents })
      : `${file}: ${n(sales)} sales and ${n(rents)} rents as of ${as_of}, for a dataset of the adapter evidence`,
  );
}
