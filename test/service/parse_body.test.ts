import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBody } from '../../service/http/parse_body.ts';
import { FOURFOLD_MAX, timesAsMuch } from '../growth.ts';

const SIZE = 60_000;

/** Bodies that a parser may read again and again: what begins, what is repeated, what ends it. */
const PATTERNS: readonly (readonly [string, string, string])[] = [
  ['"', '\\"', ''],
  ['"', '\\\\', ''],
  ['"', '\\', ''],
  ['{"a":"', '\\"', ''],
  ['[', '"\\"",', ''],
  ['', '"', ''],
  ['', '[', ''],
  ['', '[]', ''],
  ['', '{"a":', ''],
  ['', ' ', '"'],
  ['', '1', 'x'],
  ['[', '1,', ''],
  ['"', '\\u0022', ''],
];

const refused = (text: string): void => {
  try {
    parseBody(text);
  } catch {
    // what it says is for another test
  }
};

describe('the parser of bodies', () => {
  it.each(PATTERNS)('takes time that grows linearly with %s%s…%s', (start, repeated, end) => {
    const body = (size: number): string => start + repeated.repeat(size / repeated.length) + end;
    const [large, small] = [body(4 * SIZE), body(SIZE)];
    expect(
      timesAsMuch(
        () => refused(large),
        () => refused(small),
      ),
    ).toBeLessThan(FOURFOLD_MAX);
  });

  it('takes linear time for any repeated text', () => {
    const piece = fc.string({
      unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', ' ', 'a', '1', 'é'),
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(piece, piece, (start, repeated) => {
        const body = (size: number): string => start + repeated.repeat(size / repeated.length);
        const [large, small] = [body(4 * SIZE), body(SIZE)];
        return (
          timesAsMuch(
            () => refused(large),
            () => refused(small),
          ) < FOURFOLD_MAX
        );
      }),
      { numRuns: 40 },
    );
  });

  it('reads what JSON.parse reads, and refuses what is nested too deeply', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(parseBody(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(parseBody(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeDefined();
    expect(() => parseBody(`${'['.repeat(33)}${']'.repeat(33)}`)).toThrow('nested deeper than 32');
    expect(parseBody(`["${'['.repeat(100)}\\"${'{'.repeat(100)}"]`)).toBeDefined();
  });
});
