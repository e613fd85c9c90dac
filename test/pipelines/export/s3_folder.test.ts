import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportTables } from '../../../pipelines/export/export.ts';
import { S3Folder } from '../../../pipelines/export/s3_folder.ts';
import { silent } from '../../../pipelines/report/progress.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import { pipeline } from '../../cli/fixture.ts';
import { type PublishedSample, publishedSample } from '../../published_sample.ts';
import { BUCKET, KEYS, type S3Server, startS3 } from './s3_server.ts';

describe('an export to an S3 bucket', () => {
  let server: S3Server;
  let folder: string;
  let reader: S3Client;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 's3-export-'));
    server = await startS3(join(folder, 's3'));
    const set = {
      ...KEYS,
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_S3: server.url,
      // s3rver knows no checksum trailers.
      AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_REQUIRED',
      AWS_MAX_ATTEMPTS: '1',
    };
    for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value);
    reader = new S3Client({ forcePathStyle: true });
  });
  afterEach(() => {
    server.fails = () => false;
    server.requests.length = 0;
  });
  afterAll(async () => {
    reader?.destroy();
    await server?.close();
    vi.unstubAllEnvs();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const keysOf = async (prefix: string): Promise<string[]> => {
    const { Contents = [] } = await reader.send(
      new ListObjectsV2Command({ Bucket: BUCKET, Prefix: `${prefix}/` }),
    );
    return Contents.map(({ Key }) => Key!.slice(prefix.length + 1));
  };
  const bytesOf = async (key: string): Promise<Uint8Array> => {
    const { Body } = await reader.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
    return Body!.transformToByteArray();
  };
  const written = (): string[] =>
    server.requests.filter((each) => /^(PUT|POST)/.test(each)).map((each) => each.replace(/\?.*/, ''));
  const aborts = (): number => server.requests.filter((each) => each.startsWith('DELETE')).length;
  const never = (): Promise<void> => new Promise(() => undefined);
  const unfinished = (): string[] => {
    const uploads = join(folder, 's3', BUCKET, '._S3rver_uploads');
    return existsSync(uploads) ? readdirSync(uploads) : [];
  };

  /** Uploads files of these contents. */
  const upload = async (
    prefix: string,
    files: Readonly<Record<string, string | Uint8Array>>,
    { publication = 1, stopped = never }: { publication?: number; stopped?: () => Promise<void> } = {},
  ): Promise<void> => {
    const s3 = new S3Folder(`s3://${BUCKET}/${prefix}`);
    try {
      await s3.check(publication);
      await s3.write(
        publication,
        async (out) => {
          for (const [name, content] of Object.entries({ ...files, 'manifest.json': '{}' })) {
            mkdirSync(join(out, name, '..'), { recursive: true });
            writeFileSync(join(out, name), content);
          }
        },
        stopped,
      );
    } finally {
      s3.close();
    }
  };

  describe('from a publication', () => {
    let sample: PublishedSample;
    let client: pg.Client;
    beforeAll(async () => {
      sample = await publishedSample();
      client = new pg.Client({ connectionString: sample.database.url });
      await client.connect();
    });
    afterAll(async () => {
      await client?.end();
      await sample?.database.drop();
      if (sample) rmSync(sample.dir, { recursive: true, force: true });
    });
    const exported = () =>
      exportTables(client, {
        all: SERVING_TABLES,
        publication: null,
        since: null,
        tables: ['property', 'setting'],
        format: 'parquet',
        partition: ['state'],
        out: `s3://${BUCKET}/nightly/1`,
        signKey: null,
        progress: silent,
      });

    it('has the files of the manifest, which is written last, and the same export again writes nothing', async () => {
      const manifest = await exported();
      expect(written().at(-1)).toBe(`PUT /${BUCKET}/nightly/1/manifest.json`);
      expect((await keysOf('nightly/1')).sort()).toEqual(
        [...manifest.files.map(({ file }) => file), 'manifest.json'].sort(),
      );
      for (const { file, sha256 } of manifest.files) {
        const bytes = await bytesOf(`nightly/1/${file}`);
        expect(createHash('sha256').update(bytes).digest('hex'), file).toBe(sha256);
      }
      expect(JSON.parse(Buffer.from(await bytesOf('nightly/1/manifest.json')).toString())).toEqual(manifest);
      server.requests.length = 0;
      expect(await exported()).toEqual(manifest);
      expect(written()).toEqual([]);
    });

    it('is written by the command, which names no secret if it is denied', async () => {
      const args = ['export', '--out', `s3://${BUCKET}/command`, '--tables', 'setting', '--json'];
      const env = { DATABASE_URL: sample.database.url };
      const { code, stdout, stderr } = await pipeline(args, env);
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ out: `s3://${BUCKET}/command`, partitioned_by: [] });
      expect(await keysOf('command')).toEqual(['manifest.json', 'setting.parquet']);
      const denied = await pipeline(args, { ...env, AWS_ACCESS_KEY_ID: 'AKIAWRONGKEY' });
      expect(denied.code).toBe(1);
      expect(JSON.parse(denied.stdout).error.code).toBe('s3_failed');
      expect(denied.stdout + denied.stderr).not.toMatch(/AKIAWRONGKEY|S3RVER/);
    });

    it('is read by DuckDB from the bucket', async (context) => {
      const manifest = await exported();
      const duck = await (await DuckDBInstance.create(':memory:')).connect();
      try {
        const hasHttpfs = await duck.run('LOAD httpfs').then(
          () => true,
          () => false,
        );
        if (!hasHttpfs) context.skip('DuckDB has no httpfs extension here, and tests download none.');
        await duck.run(
          `CREATE SECRET (TYPE s3, KEY_ID '${KEYS.AWS_ACCESS_KEY_ID}', SECRET '${KEYS.AWS_SECRET_ACCESS_KEY}', REGION 'us-east-1', ENDPOINT '${server.url.slice(7)}', URL_STYLE 'path', USE_SSL false)`,
        );
        const [row] = (
          await duck.runAndReadAll(
            `SELECT count(*)::int AS n FROM read_parquet('s3://${BUCKET}/nightly/1/property/*/*.parquet', hive_partitioning = true)`,
          )
        ).getRowObjectsJson();
        const rows = manifest.files.filter(({ table }) => table === 'property').map((each) => each.rows);
        expect(row!.n).toBe(rows.reduce((sum, each) => sum + each, 0));
      } finally {
        duck.closeSync();
      }
    });
  });

  it('refuses a prefix with other objects or another publication, and leaves them', async () => {
    await reader.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'mine/notes.txt', Body: 'notes' }));
    await expect(upload('mine', { a: 'a' })).rejects.toMatchObject({ code: 'output_not_ours' });
    expect(await keysOf('mine')).toEqual(['notes.txt']);
    await upload('other', { a: 'a' });
    await expect(upload('other', { a: 'a' }, { publication: 2 })).rejects.toMatchObject({
      code: 'output_not_ours',
    });
    await expect(upload('other', { a: 'changed' })).rejects.toMatchObject({ code: 'output_not_ours' });
    expect(Buffer.from(await bytesOf('other/a')).toString()).toBe('a');
    // A prefix ends at a slash.
    await upload('oth', { a: 'a' });
    expect(server.requests.filter((each) => each.startsWith('DELETE'))).toEqual([]);
  });

  it('has no manifest if a file fails, and is continued by the same command', async () => {
    server.fails = (request) => request.startsWith(`PUT /${BUCKET}/half/b`);
    await expect(upload('half', { a: 'a', b: 'b' })).rejects.toMatchObject({
      code: 's3_failed',
      kind: 'transient',
    });
    expect(await keysOf('half')).toEqual(['a']);
    server.fails = () => false;
    server.requests.length = 0;
    await upload('half', { a: 'a', b: 'b' });
    expect(written()).toEqual([`PUT /${BUCKET}/half/b`, `PUT /${BUCKET}/half/manifest.json`]);
  });

  it('uploads a large file in parts, and leaves no part if one fails or the upload is stopped', async () => {
    const large = randomBytes(40 * 1024 * 1024);
    await upload('large', { large });
    expect(server.requests.filter((each) => each.includes('partNumber='))).toHaveLength(3);
    expect(Buffer.compare(await bytesOf('large/large'), large)).toBe(0);
    expect(unfinished()).toEqual([]);

    server.fails = (request) => request.includes('partNumber=2');
    await expect(upload('failed', { large })).rejects.toMatchObject({ code: 's3_failed' });
    expect([await keysOf('failed'), unfinished()]).toEqual([[], []]);
    expect(aborts()).toBe(1);

    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    server.fails = (request) => {
      if (request.includes('partNumber=1')) stop();
      return false;
    };
    await expect(
      upload('stopped', { large, small: 'small' }, { stopped: () => stopped }),
    ).rejects.toMatchObject({
      code: 's3_failed',
    });
    expect([await keysOf('stopped'), unfinished()]).toEqual([[], []]);
    expect(aborts()).toBe(2);
  });

  it('names no credentials in errors, and refuses addresses without a prefix', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAWRONGKEY');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'very-secret');
    const error: Error = await upload('denied', { a: 'a' }).then(
      () => new Error('no error'),
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 's3_failed', kind: 'permanent' });
    expect(error.message).toContain('s3://exports/denied/: ');
    expect(error.message).not.toMatch(/AKIAWRONGKEY|very-secret/);
    for (const url of ['s3://exports', 's3://exports/', 's3:/exports/a', 's3://exports/a//b', 's3://EX/a'])
      expect(() => new S3Folder(url), url).toThrow(/write s3:\/\/bucket\/prefix/);
  });
});
