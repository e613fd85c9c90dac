import type { Server } from 'node:http';
import { promisify } from 'node:util';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A call as metrics and the access log show it, without keys or addresses. */
export interface AccessRecord {
  request_id: string;
  method: string;
  /** Path of the route with its parameters in braces. */
  route: string;
  /** Tool of a call over MCP. Null: the call came over REST. */
  tool: string | null;
  status: number;
  /** Kind of refusal; null: none. */
  refusal: string | null;
  key_id: number | null;
  cost_cents: number;
  publication: number | null;
  ms: number;
}

/** Content type of the metrics. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Counts of a connection pool. */
export interface PoolCounts {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Counts and times of the calls of one process. */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly #calls: Counter;
  readonly #seconds: Histogram;
  readonly #refusals: Counter;
  readonly #cents: Counter;

  constructor(pools: Readonly<Record<string, PoolCounts>>) {
    const registers = [this.registry];
    this.#calls = new Counter({
      name: 'service_calls_total',
      help: 'Calls by route and status.',
      labelNames: ['route', 'status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'service_call_seconds',
      help: 'Time from request to response by route.',
      labelNames: ['route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    });
    this.#refusals = new Counter({
      name: 'service_refusals_total',
      help: 'Answers other than 200 and 304 by status and type.',
      labelNames: ['status', 'type'],
      registers,
    });
    this.#cents = new Counter({
      name: 'service_charged_cents_total',
      help: 'Cents charged by route.',
      labelNames: ['route'],
      registers,
    });
    new Gauge({
      name: 'service_pool_connections',
      help: 'Connections to the database by pool: in use and idle; and calls that wait for one.',
      labelNames: ['pool', 'state'],
      registers,
      collect() {
        for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
          this.set({ pool, state: 'in_use' }, totalCount - idleCount);
          this.set({ pool, state: 'idle' }, idleCount);
          this.set({ pool, state: 'waiting' }, waitingCount);
        }
      },
    });
  }

  /** Adds the calls in progress and the connections of the server. */
  addGauges(server: Server, inProgress: () => number): void {
    const registers = [this.registry];
    new Gauge({
      name: 'service_calls_in_hand',
      help: 'Calls that are not answered yet.',
      registers,
      collect() {
        this.set(inProgress());
      },
    });
    new Gauge({
      name: 'service_connections',
      help: 'Connections of clients.',
      registers,
      async collect() {
        this.set(await promisify(server.getConnections.bind(server))());
      },
    });
  }

  count({ route, status, refusal, cost_cents, ms }: AccessRecord): void {
    this.#calls.inc({ route, status: String(status) });
    this.#seconds.observe({ route }, ms / 1000);
    if (refusal !== null) this.#refusals.inc({ status: String(status), type: refusal });
    if (cost_cents > 0) this.#cents.inc({ route }, cost_cents);
  }
}
