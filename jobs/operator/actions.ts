import type pg from 'pg';
import { checkAccepted } from '../../pipelines/publish/acceptable.ts';
import { targetOf } from '../../pipelines/run/rollback.ts';
import { previewRollback, type RollbackPreview } from '../../pipelines/views/change_summary.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { servingTables } from '../../schema/model.ts';
import { latestPublication } from '../../store/journal/journal.ts';
import { noteAction, noteTaken } from '../../store/state/operator_actions.ts';
import { withQueueTimeout } from '../answered.ts';
import type { RefreshQueue, RefreshRequest } from '../backend.ts';
import { requestOfJob } from '../named_job.ts';
import { namedJob } from '../named_jobs.ts';
import { enqueueRefresh } from '../refresh_job.ts';
import { undecidedRun } from './operate_view.ts';

/** Maximum wait for the queue, milliseconds. */
const QUEUE_MS = 4000;
const LONGEST_REASON = 400;

const invalid = (message: string): EtlError => new EtlError('config_invalid', message);

function numberOf(text: string | null): number {
  if (text !== null && /^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw invalid('A publication is a number.');
}

function reasonOf(fields: URLSearchParams): string {
  const reason = fields.get('reason')?.replaceAll('\0', '').trim() ?? '';
  if (reason !== '' && reason.length <= LONGEST_REASON) return reason;
  throw invalid(
    `Give a reason of ${LONGEST_REASON} characters at most: it is recorded with the publication.`,
  );
}

/** Previews a rollback from the served publication. @throws EtlError as `targetOf` */
export async function rollbackPreview(
  client: pg.ClientBase,
  config: Config,
  text: string,
): Promise<RollbackPreview> {
  const target = await targetOf(client, numberOf(text));
  return previewRollback(client, target, (await latestPublication(client))!, servingTables(config));
}

/** Says which gates of the last run may be accepted, and which may not. */
async function acceptableText(client: pg.ClientBase, config: Config): Promise<string> {
  const run = await undecidedRun(client, config, null);
  const gateList = (isAccepted: boolean): string =>
    (run?.gates ?? [])
      .filter(({ canAccept }) => canAccept === isAccepted)
      .map(({ check }) => check.check)
      .join(', ');
  if (run === null || run.gates.length === 0)
    return 'No gate is ticked, and the last run was not refused: there is nothing to accept.';
  const never =
    gateList(false) === ''
      ? ''
      : ` ${gateList(false)} cannot be accepted: correct the data and load it again.`;
  return gateList(true) === ''
    ? `No gate is ticked, and none may be.${never}`
    : `No gate is ticked. Go back and tick what is right; these may be ticked: ${gateList(true)}.${never}`;
}

type RefreshSelection = Omit<RefreshRequest, 'requested_by'>;
type ToRequest = (
  fields: URLSearchParams,
  config: Config,
  client: pg.ClientBase,
) => Promise<RefreshSelection>;

/** Builds the queue request of each action from the form's fields. @throws EtlError config_invalid */
const ACTIONS: Readonly<Record<string, ToRequest>> = {
  async run(fields) {
    const job = fields.get('job') ?? '';
    return job === '' ? {} : requestOfJob(namedJob(job));
  },
  async publish(fields, config, client) {
    const gates = fields.getAll('gate');
    if (gates.length === 0) {
      const lastRun = await undecidedRun(client, config, null);
      if (lastRun?.state !== 'held') throw invalid(await acceptableText(client, config));
      return { publish: { gates, reason: '' } };
    }
    const reason = reasonOf(fields);
    checkAccepted(gates, reason, config);
    return { publish: { gates, reason } };
  },
  async dataset(fields, config) {
    const dataset = fields.get('dataset') ?? '';
    if (!Object.hasOwn(config.datasets, dataset)) throw invalid('There is no such dataset.');
    return { only: [dataset] };
  },
  async rollback(fields, _config, client) {
    const [to, from, reason] = [numberOf(fields.get('to')), numberOf(fields.get('from')), reasonOf(fields)];
    await targetOf(client, to);
    const last = (await latestPublication(client))!.publication_id;
    if (last !== from) throw invalid(`Publication ${last} is served since the preview: look at it again.`);
    return { rollback: { to, reason } };
  },
};

/** An operator's request: a form of the console. */
interface ActionRequest {
  action: string;
  fields: URLSearchParams;
  who: string;
}

/**
 * Queues an operator's request. The requester is recorded first, so a request that the queue did not accept stays recorded without an id.
 * @throws EtlError config_invalid for a faulty request, queue_unavailable
 */
export async function queueAction(
  client: pg.ClientBase,
  queue: RefreshQueue,
  config: Config,
  { action, fields, who }: ActionRequest,
): Promise<void> {
  if (!Object.hasOwn(ACTIONS, action)) throw invalid('There is no such action.');
  const result = await ACTIONS[action]!(fields, config, client);
  const { publish, rollback, ...rest } = result;
  const id = await noteAction(client, { who, action, detail: { ...rest, ...publish, ...rollback } });
  const request = { requested_by: `console: ${who}`, ...result };
  const job = await withQueueTimeout(QUEUE_MS, enqueueRefresh(queue, request, config.queue));
  await noteTaken(client, id, job.job_id);
}
