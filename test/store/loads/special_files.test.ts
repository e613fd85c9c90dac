import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_CODES } from '../../../schema/error_codes.ts';
import { findFiles } from '../../../store/loads/files.ts';
import { systemError } from '../../../store/system/system_error.ts';
import { openFolder, pipeline } from '../../cli/fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'special-'));
  execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
  symlinkSync('/dev/zero', join(folder, 'zero.csv'));
  writeFileSync(join(folder, 'good.txt'), 'x');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the files of a dataset', () => {
  it.each(['/dev/zero', 'pipe.csv', 'zero.csv'])('are no device and no pipe: %s', async (path) => {
    await expect(findFiles(path, folder)).rejects.toMatchObject({ code: 'not_a_file' });
  });

  it('are those that are left where a folder holds a pipe', async () => {
    expect(await findFiles('*.txt', folder)).toEqual([join(folder, 'good.txt')]);
  });
});

it('a configuration that is a device, or refers to itself, is a usage error', async () => {
  const own = openFolder();
  const loop = join(own, 'loop.yaml');
  writeFileSync(loop, 'datasets: &a\n  b: *a\n');
  for (const [file, code] of [
    ['/dev/zero', 'config_missing'],
    [loop, 'config_invalid'],
  ] as const) {
    const { code: exit, stderr } = await pipeline(['status', '--config', file]);
    expect([file, exit]).toEqual([file, 2]);
    expect(stderr).toContain(`error ${code}: `);
    expect(stderr).not.toMatch(/\n\s+at /);
  }
  rmSync(own, { recursive: true, force: true });
});

describe('a failure of the system', () => {
  const documented = new Set(PUBLIC_CODES.filter(({ kind }) => kind === 'error').map(({ code }) => code));
  const with_ = (code: string): Error => Object.assign(new Error('it says so'), { code });
  /** What an operator can meet: errno values of files, sockets and processes; SQLSTATEs by class. */
  const ERRNO =
    'EACCES EPERM EROFS ENOENT ENOTDIR EISDIR ELOOP ENAMETOOLONG ENOSPC EDQUOT EFBIG EIO ESTALE EMFILE ENFILE ENOMEM EAGAIN EBUSY ENXIO ENODEV ECONNREFUSED ECONNRESET ECONNABORTED EPIPE EHOSTUNREACH ENETUNREACH ETIMEDOUT ENOTFOUND EAI_AGAIN ERR_OUT_OF_MEMORY'.split(
      ' ',
    );
  const SQLSTATE =
    '08000 08001 08003 08004 08006 25006 28000 28P01 3D000 40001 40P01 42501 53000 53100 53200 53300 53400 54000 54001 54011 54023 55000 55006 55P03 57014 57P01 57P02 57P03 58000 58030 58P01 XX001 XX002'.split(
      ' ',
    );

  it.each([...ERRNO, ...SQLSTATE])('%s has a documented code, a sentence and a next step', (code) => {
    for (const error of [with_(code), with_(`postgres_or_system_${code}`)]) {
      const known = systemError(error, '/some/path');
      expect(known, code).not.toBeNull();
      expect(documented.has(known!.code), known!.code).toBe(true);
      expect(known!.message).toMatch(/^[A-Z].*: .*it says so\. [A-Z].*\.$/s);
    }
  });

  it('excludes faults of the program and other SQL errors', () => {
    expect(systemError(new TypeError('x is not a function'))).toBeNull();
    expect(systemError(with_('23505'))).toBeNull();
  });

  it('is named without a code, too', () => {
    expect(systemError(new Error('The server does not support SSL connections'))?.message).toContain(
      'sslmode',
    );
    expect(systemError(new RangeError('Invalid string length'))?.code).toBe('out_of_resources');
  });
});
