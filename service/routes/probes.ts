import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { within } from '../../store/system/within.ts';
import type { AdmissionControl } from '../http/admission.ts';
import { METRICS_TYPE } from '../http/metrics.ts';
import type { Shortage } from '../http/shortage.ts';

/** Maximum wait of a probe for the publication's number. */
const PROBE_MS = 1500;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Metrics need the token of ops. */
function maySeeMetrics(token: string | null, authorization: string | undefined): boolean {
  const givenToken = /^bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  return token !== null && givenToken !== undefined && timingSafeEqual(digest(givenToken), digest(token));
}

/** Number of the served publication. Null: none, or the database does not answer in time. */
async function publicationInTime(readPublication: () => Promise<number | null>): Promise<number | null> {
  const publication = readPublication().catch(() => null);
  return (await within(PROBE_MS, publication)) ? publication : null;
}

/** What the probes report. */
export interface ProbeSources {
  publication: () => Promise<number | null>;
  /** Metrics in the text format of Prometheus. */
  metrics: () => Promise<string>;
  shortage: Shortage;
  admission: AdmissionControl;
  /** Token of the console, which the metrics need. Null: there are no metrics for anyone. */
  token: string | null;
  /** State of the pipeline for /healthz. */
  pipeline: (() => Promise<{ status: string; reasons: readonly string[] }>) | undefined;
}

/** Answers probes: /healthz about the process and the pipeline, /readyz about readiness for calls. */
export function addProbes(app: FastifyInstance, sources: ProbeSources): void {
  const { shortage, admission, pipeline } = sources;
  app.get('/healthz', async () => ({
    status: 'ok',
    ...(pipeline === undefined ? {} : { pipeline: await pipeline() }),
  }));
  app.get('/readyz', async (_request, reply) => {
    const publication = await publicationInTime(sources.publication);
    const reasons = [
      publication === null &&
        'No publication can be read: nothing is published, or the database does not answer.',
      (app.isUnderPressure() || admission.isFull()) && 'Too many calls; more are refused.',
      shortage.reason(),
    ].filter((reason) => typeof reason === 'string');
    return reply
      .code(reasons.length === 0 ? 200 : 503)
      .send({ status: reasons.length === 0 ? 'ready' : 'not ready', publication, reasons });
  });
  app.get('/metrics', async (request, reply) => {
    if (!maySeeMetrics(sources.token, request.headers.authorization)) return reply.callNotFound();
    return reply.type(METRICS_TYPE).send(await sources.metrics());
  });
}
