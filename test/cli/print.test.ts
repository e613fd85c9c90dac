import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { oneLine, visible, wrapped } from '../../cli/print.ts';
import { columns } from '../../cli/render.ts';
import { renderRejects } from '../../cli/render_journal.ts';
import { maskText, maskUrl } from '../../store/system/mask_url.ts';
import { openFolder, pipeline, tinyGnaf, writeConfig } from './fixture.ts';

const REPO = fileURLToPath(new URL('../../', import.meta.url));
/** Clears the screen, names the window, turns the direction of the text, rings. */
const EVIL = '\u001b[2J\u001b]0;x\u0007\u009b31m\u202egnp.exe';
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;

let folder: string;
beforeAll(() => {
  folder = openFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('printed output', () => {
  it('holds no control character of the data, and is the same JSON', () => {
    expect(visible(EVIL)).not.toMatch(RAW);
    expect(JSON.parse(visible(JSON.stringify({ EVIL })))).toEqual({ EVIL });
    expect(oneLine('a\nfailed  forged\tline')).toBe('a\\nfailed  forged\\tline');
  });

  it('is one line for each row of a table', () => {
    const row = { source: 'x', code: 'y', file: `${EVIL}\n`, at: 'line 1', message: 'a\nerror internal: b' };
    expect(columns([[EVIL, 'a\nb']])).toBe(`  ${oneLine(EVIL)}  a\\nb`);
    expect(renderRejects([row] as never).split('\n').length).toBeLessThanOrEqual(2);
  });

  it('fits a terminal: lines break between words, below their last column', () => {
    const line = `  cadastre_vic  kept  ${'the delivery cannot be read '.repeat(4)}end`;
    const lines = wrapped(line, 80).split('\n');
    expect(lines.length).toBe(3);
    for (const [i, each] of lines.entries()) {
      expect(each.length).toBeLessThanOrEqual(80);
      expect(each.slice(0, 22).trim() === '').toBe(i > 0);
    }
    expect(lines.map((each) => each.slice(22)).join(' ')).toBe(
      `${'the delivery cannot be read '.repeat(4)}end`,
    );
    const word = 'x'.repeat(100);
    expect(wrapped(word, 80)).toBe(word);
    expect(wrapped(`a ${word} b`, 80).replaceAll(/\s+/g, ' ')).toBe(`a ${word} b`);
    const json = JSON.stringify({ a: 'b c '.repeat(40) });
    expect(wrapped(json, 80)).toBe(json);
  });

  it('is filtered in errors too', async () => {
    const { code, stderr } = await pipeline(['status', '--config', join(folder, `${EVIL}.yaml`)]);
    expect(code).toBe(2);
    expect(stderr).toContain('\\u001b[2J');
    expect(stderr).not.toMatch(RAW);
    const unknown = await pipeline([EVIL]);
    expect([unknown.code, RAW.test(unknown.stderr)]).toEqual([2, false]);
  });
});

describe('a URL that is shown', () => {
  it.each([
    [
      'https://b.s3.aws.com/f.zip?X-Amz-Signature=s3cret&X-Amz-Date=1',
      'https://b.s3.aws.com/f.zip?X-Amz-Signature=***&X-Amz-Date=***',
    ],
    ['https://h/f?s3cret', 'https://h/f?***'],
    ['https://s3cret@h/f#s3cret', 'https://***@h/f'],
    ['postgresql://me:s3cret@h:1/d?sslkey=s3cret', 'postgresql://me:***@h:1/d?sslkey=***'],
    ['postgresql://me:a@s3cret/x@h/d', '(unreadable URL)'],
    ['me:s3cret@h/d', expect.not.stringContaining('s3cret')],
    ['postgresql://me:s3cret@h:99999/d', '(unreadable URL)'],
  ])('%s', (url, shown) => expect(maskUrl(url)).toEqual(shown));

  it.each([
    ['cannot reach postgresql://me:a@s3/cret@h/d now', 'cannot reach postgresql://***@h/d now'],
    ['GET https://h/f.zip?sig=s3cret&se=1 failed', 'GET https://h/f.zip?sig=***&se=*** failed'],
    ['https://h/a@b', 'https://h/a@b'],
  ])('in a text: %s', (text, shown) => expect(maskText(text)).toBe(shown));

  it('is absent from the error for an invalid URL, which exits as a usage error', async () => {
    for (const url of [
      'me:s3cret@host/db',
      's3cret',
      'postgresql:///s3cret',
      'postgresql://me:a@s3cret/x@h/d',
      'postgresql://me:12?3s3cret@h/d',
      'postgresql://me:s3#cret@h/d',
      'mysql://me:s3cret@h/d',
    ]) {
      const error = await loadConfig({}, { DATABASE_URL: url }).catch((each) => each);
      expect([url, error.code]).toEqual([url, 'config_invalid']);
      expect(error.message).toMatch(/DATABASE_URL.*postgresql:\/\/user:password@host:port\/database/);
      expect(error.message).not.toMatch(/s3|cret/);
    }
    const redis = await loadConfig({}, { REDIS_URL: 'redis://' }).catch((each) => each);
    expect(redis.code).toBe('config_invalid');
  });

  it('shows no signature in doctor', async () => {
    const fetch = { url: 'https://files.example/g.zip?sig=' + '$' + '{SIG}' };
    const config = writeConfig(folder, 'signed.yaml', {
      datasets: {
        gnaf: { adapter: 'gnaf', path: ['https://files.example/g.zip?X-Amz-Signature=s3cret', 'x'] },
        other: { adapter: 'gnaf', path: 'fetched', fetch },
      },
    });
    const dataDir = ['--data-dir', join(folder, 'data')];
    const { stdout } = await pipeline(['doctor', '--verbose', '--config', config, ...dataDir], {
      SIG: 's3cret',
    });
    expect(stdout).toContain('X-Amz-Signature=***');
    expect(stdout).not.toContain('s3cret');
  });
});

describe('a reader that goes away', () => {
  /** Runs a command in a shell whose reader takes one line; gives the exit code of the command. */
  const shell = (command: string): Promise<{ code: number | null; output: string }> =>
    new Promise((resolve) => {
      const child = spawn('bash', ['-c', `set -o pipefail; ${command}`], { cwd: REPO });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      child.on('close', (code) => resolve({ code, output }));
    });

  it('ends the command with code 0, without a stack trace', async () => {
    const data = join(folder, 'data');
    const { code, output } = await shell(`node cli/start.mjs doctor --data-dir ${data} | head -1`);
    expect(output).not.toMatch(/EPIPE|\n\s+at /);
    expect([code, output.split('\n').length]).toEqual([0, 2]);
  });

  it('does not stop a refresh', async () => {
    const data = join(folder, 'data');
    const config = writeConfig(folder, 'read.yaml', {
      datasets: {
        gnaf: { adapter: 'gnaf', path: await tinyGnaf(folder), accept_licence: 'Open G-NAF EULA' },
      },
    });
    await shell(`node cli/start.mjs refresh --config ${config} --data-dir ${data} 2>&1 | head -1`);
    const { stdout } = await pipeline(['status', '--runs', '--json', '--config', config, '--data-dir', data]);
    expect(JSON.parse(stdout)).toMatchObject([{ state: 'published' }]);
  });

  it('reports a full disk, unlike a reader that goes away', async () => {
    const data = join(folder, 'data');
    const { code, output } = await shell(`node cli/start.mjs status --data-dir ${data} > /dev/full`);
    expect([code, output]).toEqual([1, expect.stringContaining('the output cannot be written')]);
  });
});
