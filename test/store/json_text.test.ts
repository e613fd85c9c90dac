import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonText } from '../../store/json_text.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

describe('JSON for jsonb', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database?.drop());

  it.each([
    ['a\0b', 'a\ufffdb'],
    ['\\u0000', '\\u0000'],
    ['half \ud83d', 'half \ufffd'],
    ['\udc00 half', '\ufffd half'],
    ['whole \ud83d\ude00', 'whole \ud83d\ude00'],
  ])('keeps what can be kept of %j', async (text, stored) => {
    const [row] = await database.query<{ doc: { message: string } }>('SELECT $1::jsonb AS doc', [
      jsonText({ message: text }),
    ]);
    expect(row!.doc).toEqual({ message: stored });
  });

  it('is taken whatever the texts hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => `${text}\0\ud83d`)),
        async (texts) => {
          const [row] = await database.query<{ doc: string[] }>('SELECT $1::jsonb AS doc', [jsonText(texts)]);
          expect(row!.doc).toEqual(texts.map((text) => text.replaceAll(/[\0]|\ud83d$/g, '\ufffd')));
        },
      ),
      { numRuns: 100 },
    );
  });
});
