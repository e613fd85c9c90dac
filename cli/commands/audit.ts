import { independentChecks } from '../../pipelines/publish/independent/independent_checks.ts';
import { sampleAll } from '../../pipelines/publish/independent/sampled_homes.ts';
import { inSnapshot } from '../../store/transaction.ts';
import { EXIT } from '../exit.ts';
import { renderChecks } from '../render.ts';
import { wholeFlag } from '../whole_flag.ts';
import { type InspectFlags, inspect } from './inspect.ts';

/** Recomputes published values of a sample of properties and prints what was compared; a difference is exit code 1. */
export async function auditCommand(flags: InspectFlags & { sample?: string; seed: string }): Promise<void> {
  const seed = wholeFlag('--seed', flags.seed, 0);
  const size = flags.sample === undefined ? null : wholeFlag('--sample', flags.sample, 1);
  const checks = await inspect(
    flags,
    (client, { config }) =>
      inSnapshot(client, async () => {
        const sample = await sampleAll(client, seed, size ?? config.audit.sample);
        return independentChecks(client, config, sample, { gates: [], reason: '' }, null);
      }),
    renderChecks,
  );
  if (checks.some(({ status }) => status === 'fail')) process.exitCode = EXIT.failed;
}
