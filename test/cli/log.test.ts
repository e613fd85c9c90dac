import { describe, expect, it } from 'vitest';
import { logEvents, openLog } from '../../cli/log.ts';
import { redact } from '../../cli/redact.ts';
import { maskText } from '../../store/system/mask_url.ts';

const collect = (level: 'debug' | 'info' = 'info') => {
  const lines: Record<string, unknown>[] = [];
  const log = openLog(level, { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, log };
};

describe('redaction', () => {
  it.each([
    ['postgresql://user:pass@host:5432/db', 'postgresql://***@host:5432/db'],
    ['redis://:pass@host/0 is down', 'redis://***@host/0 is down'],
    ['at https://token@host/path', 'at https://***@host/path'],
    ['postgres://host/db?user=a&password=pass&x=1', 'postgres://host/db?user=***&password=***&x=***'],
    ['https://host/a@b', 'https://host/a@b'],
    ['mail a@b.c', 'mail a@b.c'],
  ])('of %s', (text, shown) => expect(maskText(text)).toBe(shown));

  it('goes through fields at any depth', () => {
    expect(redact({ a: [{ token: 'x', url: 'redis://a:b@c' }], api_key: null, n: 1 })).toEqual({
      a: [{ token: '***', url: 'redis://***@c' }],
      api_key: null,
      n: 1,
    });
  });
});

describe('the log', () => {
  it('names run, stage and partition, and no secret', () => {
    const { lines, log } = collect('debug');
    const hear = logEvents(log);
    hear({ event: 'run_started', run_id: 7, command: 'refresh', at: '' });
    hear({ event: 'batch_done', run_id: 7, stage: 'serve_property', cells: [1, 2], rows: 9 });
    hear({
      event: 'partition_failed',
      run_id: 7,
      partition: {
        stage: 'serve_property',
        partition: 'cell 3',
        attempts: 3,
        code: 'internal',
        message: 'cannot reach postgresql://u:secret@h/d',
      },
    });
    expect(lines).toMatchObject([
      { level: 'info', run: 7, msg: 'run started' },
      { level: 'debug', run: 7, stage: 'serve_property', partition: [1, 2] },
      {
        level: 'error',
        run: 7,
        stage: 'serve_property',
        partition: 'cell 3',
        error: 'cannot reach postgresql://***@h/d',
      },
    ]);
    expect(lines.every((line) => typeof line.time === 'string')).toBe(true);
    log.info('started with redis://:secret@h');
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('leaves out what is below its level', () => {
    const { lines, log } = collect();
    logEvents(log)({ event: 'batch_done', run_id: 7, stage: 's', cells: [1], rows: 9 });
    expect(lines).toEqual([]);
  });
});
