import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { col, nullable } from '../../../schema/table.ts';
import { copyBatches, copyOut } from '../../../store/copy/copy_binary.ts';
import { CopyOut } from '../../../store/copy/copy_out.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

const message = (code: string, content: Buffer): Buffer => {
  const head = Buffer.from(`${code}    `);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
};

/** What the server sends for rows: an answer, a notice between, the end, and what pg waits for. */
const session = (rows: readonly Uint8Array[], end: 'c' | 'E'): Buffer[] => [
  message('H', Buffer.alloc(3)),
  ...rows.slice(0, 2).map((row) => message('d', Buffer.from(row))),
  message('N', Buffer.from('notice')),
  ...rows.slice(2).map((row) => message('d', Buffer.from(row))),
  message(end, Buffer.alloc(0)),
  message('C', Buffer.from('COPY 1')),
  message('Z', Buffer.from('I')),
];

describe('CopyOut', () => {
  it('takes rows however the bytes are cut, and leaves to pg what is none, whole messages until the rows end', () => {
    const rows = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
    const end = fc.constantFrom('c' as const, 'E' as const);
    fc.assert(
      fc.property(rows, end, fc.integer({ min: 1, max: 900 }), (sent, how, step) => {
        const stream = new EventEmitter();
        const handed: Buffer[] = [];
        const taken: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => handed.push(chunk));
        const out = new CopyOut('COPY', {
          add: (bytes, at, to) => taken.push(Buffer.from(bytes.subarray(at, to))),
        });
        out.submit({ stream, query: () => undefined } as never);
        const messages = session(sent, how);
        const bytes = Buffer.concat(messages);
        for (let at = 0; at < bytes.length; at += step) stream.emit('data', bytes.subarray(at, at + step));
        expect(taken).toEqual(sent.map((row) => Buffer.from(row)));
        expect(Buffer.concat(handed)).toEqual(Buffer.concat(messages.filter((one) => one[0] !== 0x64)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('COPY out of a database', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const columns = { n: col('int4', ''), text: nullable('text', '') };
  const numbers = (to: number): string =>
    `SELECT n, CASE WHEN n % 7 > 0 THEN repeat('x', n % 7) END FROM generate_series(1, ${to}) n`;
  const sound = async (): Promise<void> =>
    expect(await copyOut(client, numbers(3), columns)).toEqual([
      { n: 1, text: 'x' },
      { n: 2, text: 'xx' },
      { n: 3, text: 'xxx' },
    ]);

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it('gives every row in order, or none', async () => {
    const rows = await copyOut<{ n: number }>(client, numbers(70_000), columns);
    expect(rows.every(({ n }, i) => n === i + 1)).toBe(true);
    expect(rows).toHaveLength(70_000);
    expect(await copyOut(client, numbers(0), columns)).toEqual([]);
    await sound();
  });

  it.each(['SELECT 1 / (n - 3), NULL::text FROM generate_series(1, 5) n', 'SELECT nothing'])(
    'fails as the server says, and leaves the connection usable: %s',
    async (query) => {
      await expect(copyOut(client, query, columns)).rejects.toMatchObject({ severity: 'ERROR' });
      const read = async (): Promise<void> => {
        for await (const _ of copyBatches(client, query, columns));
      };
      await expect(read()).rejects.toMatchObject({ severity: 'ERROR' });
      await sound();
    },
  );

  it('fails where a row cannot be decoded, when all have passed by', async () => {
    const json = { n: col('int4', ''), text: col('jsonb', '') };
    await expect(
      copyOut(client, `SELECT n, 'x{'::text FROM generate_series(1, 9000) n`, json),
    ).rejects.toThrow(SyntaxError);
    await sound();
  });

  it('gives batches, as many as are asked for', async () => {
    let last = 0;
    for await (const rows of copyBatches<{ n: number }>(client, numbers(130_000), columns)) {
      expect(rows.every(({ n }) => n === ++last)).toBe(true);
    }
    expect(last).toBe(130_000);
    for await (const rows of copyBatches(client, numbers(130_000), columns)) {
      expect(rows.length).toBeGreaterThan(0);
      break;
    }
    await sound();
  });

  it('fails where the connection is lost', async () => {
    const lost = new pg.Client({ connectionString: database.url });
    lost.on('error', () => undefined);
    await lost.connect();
    const pid = (await lost.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
    const reading = copyOut(
      lost,
      `SELECT n, pg_sleep(0.01)::text FROM generate_series(1, 100000) n`,
      columns,
    );
    const failed = expect(reading).rejects.toThrow();
    await client.query('SELECT pg_terminate_backend($1)', [pid]);
    await failed;
  });
});
