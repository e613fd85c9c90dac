import { describe, expect, it } from 'vitest';
import { OPERATIONS, readRequest } from '../../service/answers/operations.ts';

/** The longest text that a body may carry by default (service.body_max_kb). */
const LENGTH = 64 * 1024;
/** CPU of one wrong text, milliseconds: reading 64 KB takes less than one. A pattern that backtracks takes seconds. */
const CPU_MS = 100;

/** Wrong texts of the greatest length: long beginnings of what a pattern may look for, and an end that no pattern takes. */
const WRONG_TEXTS = [
  '9',
  '9.',
  '.9',
  '-',
  '1e',
  '1e+9',
  ' ',
  '\t\n',
  ',',
  ', ',
  'a',
  'a ',
  'a,',
  'A1 ',
  "O'",
  '(a',
  '12/',
  '12-',
  '2026-01-01',
  'true',
  '\\',
  'é',
  '𝒳',
].map((part) => `${part.repeat(LENGTH / part.length)}\u{1}`);

/** CPU time of some work, milliseconds. Work that seems slow is measured again: a garbage collection is not its doing. */
function cpuMs(work: () => unknown, attempts = 3): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  return ms > CPU_MS && attempts > 1 ? Math.min(ms, cpuMs(work, attempts - 1)) : ms;
}

describe('the longest wrong text costs next to nothing', () => {
  it.each(OPERATIONS.map((operation) => [operation.path, operation] as const))('%s', (_path, operation) => {
    const { properties = {} } = operation.params.toJSONSchema({ io: 'input', unrepresentable: 'any' });
    const names = [...Object.keys(properties), ...(operation.hasAsOf ? ['as_of'] : [])];
    const slow: string[] = [];
    for (const text of WRONG_TEXTS) {
      const bodies = names.flatMap((name) => [{ [name]: text }, { [name]: [text] }, { [name]: { a: text } }]);
      for (const body of [...bodies, { [text]: text }]) {
        const ms = cpuMs(() => readRequest(operation, text, body, 'body'));
        if (ms > CPU_MS)
          slow.push(`${Object.keys(body)[0]!.slice(0, 30)} ${text.slice(0, 12)}: ${Math.round(ms)} ms`);
      }
    }
    expect(slow).toEqual([]);
  });
});
