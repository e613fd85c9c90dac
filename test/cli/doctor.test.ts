import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { datasetChecks } from '../../pipelines/doctor/datasets.ts';
import { MIN_NODE, machineChecks, nodeFinding } from '../../pipelines/doctor/machine.ts';
import { connectionError } from '../../store/system/connection_error.ts';
import { GDA2020_PRJ, square, WGS84_PRJ, writeShapefile } from '../sources/shapefile_writer.ts';
import { byName, configWith, openFolder, statuses } from './fixture.ts';

let folder: string;
beforeAll(() => {
  folder = openFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('machine', () => {
  it.each([
    ['20.19.0', 'warn'],
    ['20.18.9', 'fail'],
    ['18.20.4', 'fail'],
    ['22.0.0', 'pass'],
  ])('Node.js %s: %s', (version, status) => {
    expect(nodeFinding(version).status).toBe(status);
  });

  it('needs the Node.js that package.json names', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(engines.node).toBe(`>=${MIN_NODE}`);
  });

  it('makes no data folder, and warns of too little disk', async () => {
    const dataDir = join(folder, 'not/yet/there');
    const few = await machineChecks({ dataDir, releaseBytes: 0, embedded: true });
    expect(byName(few)['data folder']).toMatchObject({
      status: 'pass',
      message: `${dataDir} can be created`,
    });
    const many = await machineChecks({ dataDir, releaseBytes: 1e15, embedded: true });
    expect(byName(many).disk).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('--data-dir'),
    });
  });

  it('fails for a data folder that is a file, unless the database is elsewhere', async () => {
    const dataDir = join(folder, 'file');
    writeFileSync(dataDir, '');
    const embedded = await machineChecks({ dataDir, releaseBytes: 0, embedded: true });
    expect(byName(embedded)['data folder']?.status).toBe('fail');
    const external = await machineChecks({ dataDir, releaseBytes: 1e15, embedded: false });
    expect(statuses(external)).toMatchObject({ 'data folder': 'warn', disk: 'pass' });
  });
});

describe('datasets', () => {
  const spec = {
    shapeType: 5,
    fields: [
      ['LGA_CODE22', 'C', 5],
      ['LGA_NAME22', 'C', 50],
    ] as const,
    rows: [['27350', 'Yarra']],
    shapes: [[square(145, -37.8, 0.01)]],
  };

  it.each([
    ['stated', GDA2020_PRJ, '', 'pass', 'CRS EPSG:7844 as stated in the files'],
    [
      'overridden',
      GDA2020_PRJ,
      'EPSG:4283',
      'pass',
      'CRS EPSG:4283 as configured; the files state EPSG:7844',
    ],
    ['configured', undefined, 'EPSG:7844', 'pass', 'CRS EPSG:7844 as configured; the files state none'],
    ['missing', undefined, '', 'fail', '.prj'],
    ['of no datum', WGS84_PRJ, '', 'warn', 'Set crs of the dataset: EPSG:4283'],
    ['of no datum, settled', WGS84_PRJ, 'EPSG:4283', 'pass', 'CRS EPSG:4283 as configured'],
  ])('CRS %s', async (name, prj, crs, status, message) => {
    const release = join(folder, `lga_${name}`);
    mkdirSync(release);
    await writeShapefile(join(release, 'LGA_2022_AUST'), { ...spec, prj });
    const config = await configWith(
      'datasets.lga.adapter=asgs',
      `datasets.lga.path=${release}`,
      `datasets.lga.crs=${crs || 'null'}`,
    );
    const { checks, bytes } = await datasetChecks(config, folder);
    expect(bytes).toBeGreaterThan(200);
    expect(byName(checks)['dataset lga: release']).toMatchObject({
      status,
      message: expect.stringContaining(message),
    });
  });

  it('warns if no dataset is configured', async () => {
    const { checks } = await datasetChecks(await configWith(), folder);
    expect(statuses(checks)).toEqual({ datasets: 'warn' });
  });
});

describe('connectionError', () => {
  it('names every address that was tried', () => {
    const tried = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
    const error = Object.assign(new AggregateError(tried), { code: 'ECONNREFUSED' });
    expect(connectionError(error)).toMatchObject({
      code: 'database_unreachable',
      kind: 'transient',
      message: expect.stringMatching(/::1:1, connect ECONNREFUSED 127\.0\.0\.1:1\. Check host and port/),
    });
  });

  it('leaves other errors alone', () => {
    expect(connectionError(new TypeError('x'))).toBeNull();
    expect(connectionError(Object.assign(new Error('x'), { code: '23505' }))).toBeNull();
  });
});
