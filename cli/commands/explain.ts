import type pg from 'pg';
import { matchProperties } from '../../contract/geocode/geocode.ts';
import { explain, explainAsOf, explainCandidate } from '../../pipelines/explain/explain.ts';
import { explainAvm } from '../../pipelines/explain/explain_avm.ts';
import { valueHistory } from '../../pipelines/explain/value_history.ts';
import { EtlError } from '../../schema/errors.ts';
import { servingOnClient } from '../../store/read/serving.ts';
import { EXIT } from '../exit.ts';
import { type MomentFlags, momentFlag } from '../moment.ts';
import { printStatus } from '../print.ts';
import { explanationText } from '../render_brief.ts';
import { renderHistory } from '../render_journal.ts';
import { renderAvm } from '../render_valuation.ts';
import { explainedOf, VALUATION } from './explained_field.ts';
import { type InspectFlags, inspect } from './inspect.ts';

/** Maximum candidates to list if an address matches no single property. */
const CANDIDATES = 3;

/**
 * Returns the given gnaf_pid, or the gnaf_pid of the property at an address. @throws EtlError config_invalid if no single property matches
 */
async function pidOf(client: pg.ClientBase, property: string): Promise<string> {
  if (!/\s/.test(property.trim())) return property.trim();
  const { gnaf_pid, candidates } = await matchProperties(servingOnClient(client), property, CANDIDATES);
  const addresses = candidates.map(({ address, gnaf_pid: pid }) => `${address} (${pid})`);
  if (gnaf_pid === null) {
    const near = addresses.length > 0 ? ` It may be ${addresses.join('; ')}.` : '';
    throw new EtlError('config_invalid', `"${property}" does not identify one property.${near}`);
  }
  printStatus(addresses.find((text) => text.endsWith(`(${gnaf_pid})`)) ?? gnaf_pid);
  return gnaf_pid;
}

/** Explains a property, one of its values, or its valuation. Exit code 1: nothing to explain. */
export async function explainCommand(
  property: string,
  value: string | undefined,
  flags: InspectFlags & MomentFlags,
): Promise<void> {
  const moment = momentFlag(flags);
  const question = value === undefined ? undefined : explainedOf(value);
  if (question?.field === VALUATION) {
    if (moment !== null)
      throw new EtlError(
        'config_invalid',
        'explain avm works on served values only: remove --as-of and --candidate.',
      );
    await inspect(flags, async (client) => explainAvm(client, await pidOf(client, property)), renderAvm);
    return;
  }
  if (question !== undefined) {
    if (moment === 'candidate')
      throw new EtlError(
        'config_invalid',
        'The history of a value ends with what is served: remove --candidate.',
      );
    const history = await inspect(
      flags,
      async (client, { config }) =>
        valueHistory(client, config, { pid: await pidOf(client, property), asOf: moment, ...question }),
      renderHistory,
    );
    if (history.changes.length === 0 && Object.keys(history.values).length === 0)
      process.exitCode = EXIT.failed;
    return;
  }
  const result = await inspect(
    flags,
    async (client, { config }) => {
      const pid = await pidOf(client, property);
      if (moment === 'candidate') return explainCandidate(client, config, pid);
      return moment === null ? explain(client, config, pid) : explainAsOf(client, config, pid, moment);
    },
    (found) => explanationText(found, flags.verbose ?? false),
  );
  if (result.outcome === 'unknown') process.exitCode = EXIT.failed;
}
