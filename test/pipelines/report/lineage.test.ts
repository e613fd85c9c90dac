import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { type LineageEvent, openLineage, stableUuid } from '../../../pipelines/report/lineage.ts';
import { SMALL } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { refreshSample } from '../sample_run.ts';

describe('lineage', () => {
  let dir: string;
  let database: TestDatabase;
  let server: Server;
  let receiver: string;
  let status = 201;
  const received: { event: LineageEvent; authorization: string | undefined }[] = [];

  beforeAll(async () => {
    dir = await sampleFolder();
    database = await createDatabase();
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const { authorization } = request.headers;
        received.push({ event: JSON.parse(Buffer.concat(chunks).toString()), authorization });
        response.writeHead(status).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/lineage`;
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const refresh = async (...set: string[]) => {
    const { config } = await loadConfig({ set }, {});
    const lineage = openLineage(config, database.url)!;
    const report = await refreshSample(database, dir, [], { onEvent: lineage.onEvent });
    return { report, failures: await lineage.close() };
  };

  it('tells a receiver of the run and of each stage, in order', async () => {
    const file = join(dir, 'lineage.ndjson');
    const { report, failures } = await refresh(
      `lineage.url=${receiver}`,
      'lineage.token=a-secret',
      `lineage.file=${file}`,
    );
    expect(failures).toEqual([]);
    expect(report.state).toBe('published');
    const events = received.map(({ event }) => event);
    expect(received.every(({ authorization }) => authorization === 'Bearer a-secret')).toBe(true);
    expect(events[0]).toMatchObject({ eventType: 'START', job: { name: 'run' } });
    expect(events.at(-1)).toMatchObject({ eventType: 'COMPLETE', job: { name: 'run' } });
    const stage = events.filter(({ job }) => job.name === 'serve_property');
    expect(stage.map(({ eventType }) => eventType)).toEqual(['START', 'COMPLETE']);
    expect(new Set(stage.map(({ run }) => run.runId)).size).toBe(1);
    const done = stage[1]!;
    expect(done.run.facets.parent).toMatchObject({ run: { runId: events[0]!.run.runId } });
    expect(done.inputs.map(({ name }) => name)).toContainEqual(
      expect.stringMatching(/\.asset\.address_home$/),
    );
    expect(done.outputs).toMatchObject([
      {
        name: expect.stringMatching(/\.serving\.property$/),
        outputFacets: { outputStatistics: { rowCount: SMALL.properties } },
      },
    ]);
    expect(events.at(-1)!.inputs).toContainEqual(
      expect.objectContaining({
        name: 'gnaf',
        facets: { version: expect.objectContaining({ datasetVersion: 'NOVEMBER 2025' }) },
      }),
    );
    for (const { run, eventTime, producer, schemaURL } of events) {
      expect(run.runId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number.isNaN(Date.parse(eventTime))).toBe(false);
      expect([producer, schemaURL].every((text) => text.length > 0)).toBe(true);
    }
    expect(JSON.stringify(events)).not.toContain('a-secret');
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(events);
  });

  it('fails no run when its receiver fails', async () => {
    status = 500;
    const refused = await refresh(`lineage.url=${receiver}`);
    expect(refused.report.state).toBe('unchanged');
    expect(refused.failures[0]).toMatch(/answers 500$/);
    const gone = await refresh('lineage.url=http://user:secret@127.0.0.1:1/lineage');
    expect(gone.report.state).toBe('unchanged');
    expect(gone.failures.length).toBeGreaterThan(0);
    expect(gone.failures.join()).not.toContain('secret');
  });

  it('says nothing where it is not configured', async () => {
    expect(openLineage((await loadConfig({}, {})).config, database.url)).toBeNull();
  });

  it('gives equal names equal ids', () => {
    expect(stableUuid('a', 'b')).toBe(stableUuid('a', 'b'));
    expect(stableUuid('a', 'b')).not.toBe(stableUuid('ab'));
  });
});
