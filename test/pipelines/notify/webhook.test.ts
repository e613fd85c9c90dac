import { createHmac } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { effectiveConfig } from '../../../cli/commands/doctor.ts';
import { loadConfig } from '../../../cli/load_config.ts';
import { noticeOfFailure, type WebhookPayload } from '../../../pipelines/notify/notice.ts';
import { notifyIfOverdue } from '../../../pipelines/notify/overdue.ts';
import { sendNotice } from '../../../pipelines/notify/webhook.ts';
import { type Config, configSchema } from '../../../schema/config.ts';
import { pipeline } from '../../cli/fixture.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';

const SECRET = 'a-secret-of-the-webhook';
const PATH = '/hooks/T0KEN-in-the-path';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Receives notices, and answers with the statuses in turn, the last one again and again; null: it does not answer. */
class Receiver {
  readonly got: Received[] = [];
  statuses: (number | null)[] = [204];
  #server!: Server;

  async open(): Promise<void> {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const status = this.statuses[Math.min(this.got.length, this.statuses.length - 1)]!;
        this.got.push({ headers: request.headers, body });
        if (status === null) return;
        response
          .writeHead(status, status === 302 ? { location: `${this.url}/elsewhere` } : {})
          .end('x'.repeat(10));
      });
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${PATH}`;
  }

  notices(): WebhookPayload[] {
    return this.got.map(({ body }) => JSON.parse(body) as WebhookPayload);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const receiver = new Receiver();
beforeAll(() => receiver.open());
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.got.length = 0;
  receiver.statuses = [204];
});

const configFor = async (url: string, ...set: string[]): Promise<Config> =>
  (
    await loadConfig(
      {
        set: [`ops.webhook.url=${url}`, `ops.webhook.secret=${SECRET}`, 'ops.webhook.timeout_s=0.5', ...set],
      },
      {},
    )
  ).config;

describe('a notice', () => {
  const notice = noticeOfFailure('database_unreachable', 'postgresql://me:hunter2@host/db does not answer');

  it('is signed, and holds no secret', async () => {
    expect(await sendNotice(await configFor(receiver.url), notice)).toBeNull();
    const [{ headers, body }] = receiver.got as [Received];
    const expected = createHmac('sha256', SECRET)
      .update(`${headers['x-pipeline-timestamp']}.${body}`)
      .digest('hex');
    expect(headers['x-pipeline-signature']).toBe(`sha256=${expected}`);
    expect(Math.abs(Number(headers['x-pipeline-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-pipeline-event': 'run.failed' });
    expect(headers['x-pipeline-delivery']).toBe(notice.id);
    expect(JSON.parse(body)).toMatchObject({
      event: 'run.failed',
      run: null,
      error: { code: 'database_unreachable' },
    });
    expect(body).not.toMatch(/hunter2|a-secret-of/);
  });

  it('is sent again where that can help, the same each time, and no more often than configured', async () => {
    receiver.statuses = [503, 204];
    expect(await sendNotice(await configFor(receiver.url), notice)).toBeNull();
    expect(receiver.got.map(({ body }) => body)).toEqual([JSON.stringify(notice), JSON.stringify(notice)]);
    receiver.got.length = 0;
    receiver.statuses = [500];
    const failure = await sendNotice(await configFor(receiver.url, 'ops.webhook.attempts=2'), notice);
    expect(failure).toMatch(/not delivered after 2 attempts: answers 500/);
    expect(failure).not.toContain('T0KEN');
    expect(receiver.got).toHaveLength(2);
  });

  it.each([
    [400, /after 1 attempt: answers 400/],
    [302, /after 1 attempt: answers 302/],
  ])('is not sent again after %d', async (status, says) => {
    receiver.statuses = [status];
    expect(await sendNotice(await configFor(receiver.url), notice)).toMatch(says);
    expect(receiver.got).toHaveLength(1);
  });

  it('does not wait for a receiver that is silent, nor for one that is not there', async () => {
    receiver.statuses = [null];
    const once = 'ops.webhook.attempts=1';
    expect(await sendNotice(await configFor(receiver.url, once), notice)).toMatch(/no answer in 0.5 s/);
    expect(await sendNotice(await configFor('http://127.0.0.1:9/x', once), notice)).toMatch(
      /ECONNREFUSED|bad port/,
    );
  });

  it('goes to no link-local address, whatever is configured', async () => {
    for (const url of ['http://169.254.169.254/latest', 'http://[fe80::1]/x'])
      expect(await sendNotice(await configFor(url, 'downloads.private_addresses=true'), notice)).toMatch(
        /link-local/,
      );
  });

  it('is not sent without a receiver, and needs a valid URL and a long secret', async () => {
    expect(await sendNotice(configSchema.parse({ datasets: {} }), notice)).toBeNull();
    for (const wrong of ['ops.webhook.url=ftp://x', 'ops.webhook.url=https://', 'ops.webhook.secret=short'])
      await expect(loadConfig({ set: [wrong] }, {}), wrong).rejects.toMatchObject({ code: 'config_invalid' });
  });

  it('is shown by doctor without its path and secret', async () => {
    const loaded = await loadConfig(
      { set: [`ops.webhook.url=${receiver.url}`, `ops.webhook.secret=${SECRET}`] },
      {},
    );
    const lines = JSON.stringify(effectiveConfig(loaded));
    expect(lines).not.toMatch(/T0KEN|a-secret-of/);
    expect(lines).toContain(`${new URL(receiver.url).origin}/***`);
  });
});

describe('runs that fail, are refused or are late', () => {
  let database: TestDatabase;
  let dir: string;
  const refresh = (...set: string[]) =>
    pipeline(['refresh', '--config', join(dir, 'config.yaml'), ...set.flatMap((each) => ['--set', each])], {
      DATABASE_URL: database.url,
      PIPELINE_OPS__WEBHOOK__URL: receiver.url,
      PIPELINE_OPS__WEBHOOK__SECRET: SECRET,
    });

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });
  afterEach(async () => {
    await database.query(`DELETE FROM control.meta WHERE key = 'late_told'`);
  });

  it('are reported by their command, unlike runs that succeed', async () => {
    expect((await refresh()).code).toBe(0);
    expect(receiver.got).toEqual([]);
    const refused = await refresh('gates.tables.property.rows_min=1000', 'parcel.nearest_m=0');
    expect(refused.code).toBe(3);
    const [told] = receiver.notices();
    expect(told).toMatchObject({
      event: 'run.refused',
      run: { command: 'refresh', state: 'refused' },
      error: null,
    });
    expect(told!.failed_checks.map(({ check }) => check)).toContain('rows:property');
    receiver.got.length = 0;
    const failed = await refresh(
      'datasets.gone.adapter=gnaf',
      'datasets.gone.path=nowhere/*.zip',
      'datasets.gone.licence=x',
      'datasets.gone.accept_licence=x',
    );
    expect(failed.code).not.toBe(0);
    expect(receiver.notices()).toMatchObject([{ event: 'run.failed', error: { code: expect.any(String) } }]);
  });

  it('fail no run where the receiver does not listen', async () => {
    receiver.statuses = [400];
    const refused = await refresh('gates.tables.property.rows_min=1000', 'parcel.nearest_m=0');
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringMatching(/warning: webhook http:\/\/127\.0\.0\.1:\d+: run.refused was not delivered/),
    ]);
    expect(refused.stderr).not.toMatch(/T0KEN|a-secret-of/);
  });

  it('are late once, until a run succeeds', async () => {
    const config = await configFor(receiver.url);
    expect(await notifyIfOverdue(database.url, config)).toBeNull();
    expect(receiver.got).toEqual([]);
    await database.query(`UPDATE control.run SET finished_at = now() - interval '40 hours'`);
    receiver.statuses = [400, 204];
    // What was not delivered is told again; what was, is not, whoever looks.
    expect(await notifyIfOverdue(database.url, config)).toMatch(/answers 400/);
    const both = await Promise.all([
      notifyIfOverdue(database.url, config),
      notifyIfOverdue(database.url, config),
    ]);
    expect([both, await notifyIfOverdue(database.url, config)]).toEqual([[null, null], null]);
    const told = receiver.notices();
    expect(told.map(({ event }) => event)).toEqual(['run.late', 'run.late']);
    expect(told[1]).toMatchObject({ late: { age_h: 40, limit_h: 30 }, run: null });
    expect((await refresh()).code).toBe(0);
    await database.query(`UPDATE control.run SET finished_at = now() - interval '31 hours'`);
    expect(await notifyIfOverdue(database.url, config)).toBeNull();
    expect(receiver.got).toHaveLength(3);
  });

  it('are reported again at the next check if the receiver timed out', async () => {
    const slow = await configFor(receiver.url, 'ops.webhook.timeout_s=11', 'ops.webhook.attempts=1');
    await database.query(`UPDATE control.run SET finished_at = now() - interval '40 hours'`);
    receiver.statuses = [null, 204];
    expect(await notifyIfOverdue(database.url, slow)).toMatch(/run.late was not delivered/);
    expect([await notifyIfOverdue(database.url, slow), receiver.got.length]).toEqual([null, 2]);
  });
});
