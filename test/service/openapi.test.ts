import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { RATE_CARD } from '../../schema/rate_card.ts';
import { openApi } from '../../service/openapi.ts';
import { OPERATIONS } from '../../service/operations.ts';

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; responses: object; 'x-price-cents': number }>>;
}

describe('the OpenAPI document', () => {
  const document = openApi('http://127.0.0.1:8080', RATE_CARD, 1) as Document;

  it('follows the recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(
      errors.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`),
    ).toEqual([]);
  });

  it('has every operation of the rate card, with its price, and no other', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).sort()).toEqual(Object.keys(RATE_CARD).sort());
    for (const { path, methods } of OPERATIONS) {
      const described = document.paths[path]!;
      expect(Object.keys(described).sort()).toEqual(methods.map((each) => each.toLowerCase()).sort());
      for (const operation of Object.values(described)) {
        expect(operation['x-price-cents']).toBe(RATE_CARD[path]);
        for (const status of ['200', '401', '402', '403', '422', '429', '503'])
          expect(operation.responses).toHaveProperty(status);
      }
    }
    const ids = Object.values(document.paths).flatMap((each) =>
      Object.values(each).map((one) => one.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes every operation in a sentence', () => {
    for (const { name, doc } of OPERATIONS) expect(doc, name).toMatch(/^[A-Z/`a-z].{15,}\.$/s);
  });
});
