import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { RATE_CARD, RATE_CARD_VERSION } from '../../contract/service/rate_card.ts';
import { OPERATIONS } from '../../service/answers/operations.ts';
import type { JsonSchema } from '../../service/answers/schemas.ts';
import { openApi } from '../../service/routes/openapi.ts';

interface Described {
  operationId: string;
  description: string;
  parameters?: { name: string; description: string; example: unknown }[];
  responses: { '200': { content: { 'application/json': { example: unknown } } } };
  'x-price-cents': number;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JsonSchema> };
}

describe('the OpenAPI document', () => {
  const document = openApi('http://127.0.0.1:8080', RATE_CARD, RATE_CARD_VERSION) as Document;

  it('follows the recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`),
    ).toEqual([]);
  });

  it('has every operation of the rate card, with its price, and no other', () => {
    expect(document.openapi).toBe('3.1.0');
    const composed = OPERATIONS.filter((each) => each.composed).map(({ path }) => path);
    expect(Object.keys(document.paths).sort()).toEqual([...Object.keys(RATE_CARD), ...composed].sort());
    for (const { path, methods } of OPERATIONS) {
      const described = document.paths[path]!;
      expect(Object.keys(described).sort()).toEqual(methods.map((each) => each.toLowerCase()).sort());
      for (const operation of Object.values(described)) {
        expect(operation['x-price-cents']).toBe(RATE_CARD[path]);
        for (const status of ['200', '400', '401', '403', '405', '422', '429', '500', '503'])
          expect(operation.responses).toHaveProperty(status);
        expect('402' in operation.responses, path).toBe(composed.includes(path) || RATE_CARD[path]! > 0);
        expect('404' in operation.responses, path).toBe(path.includes('{'));
      }
      for (const status of ['413', '415'])
        expect(status in (described.post?.responses ?? {}), path).toBe(methods.includes('POST'));
    }
    const ids = Object.values(document.paths).flatMap((each) =>
      Object.values(each).map((one) => one.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('states that exports and watches are no MCP tools', () => {
    const { description } = (document as unknown as { info: { description: string } }).info;
    expect(description).toMatch(/exports and watches, which are no MCP tools/);
    const tools = new Set(OPERATIONS.filter(({ tool }) => tool !== null).map(({ path }) => path));
    for (const [path, methods] of Object.entries(document.paths))
      if (/^\/v1\/(exports|watches)/.test(path))
        for (const own of Object.values(methods)) expect(own.description, path).toContain('No MCP tool.');
      else if (path.startsWith('/v1/') && path !== '/v1/ping' && path !== '/v1/me')
        expect(tools.has(path), path).toBe(true);
  });

  it('states for every suburb parameter which names it accepts', () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const { parameters = [] } of Object.values(methods))
        for (const { name, description } of parameters)
          if (['suburb', 'suburbs', 'suburb_name'].includes(name))
            expect(description, `${path} ${name}`).toContain('canonical SAL name only');
  });

  it('states the prices of the given rate card', () => {
    const dearer = { ...RATE_CARD, '/v1/properties/{gnaf_id}/profile': 7 };
    const { paths, info } = openApi('http://x', dearer, 9) as Document & { info: { description: string } };
    const { get } = paths['/v1/properties/{gnaf_id}/profile']!;
    expect(get).toMatchObject({ 'x-price-cents': 7, summary: expect.stringContaining('7 cents') });
    expect(info.description).toContain('rate card 9');
  });

  it('has a valid example of every answer and of every parameter', () => {
    for (const { path, methods, response } of OPERATIONS)
      for (const method of methods) {
        const { responses, parameters = [] } = document.paths[path]![method.toLowerCase()]!;
        const { example } = responses['200'].content['application/json'];
        expect(response.safeParse(example).error, `${path} ${JSON.stringify(example)}`).toBeUndefined();
        for (const parameter of parameters) {
          expect(parameter.description.length, `${path} ${parameter.name}`).toBeGreaterThan(3);
          expect(parameter, path).toHaveProperty('example');
        }
      }
  });

  it('describes every field of a property and of the finder', () => {
    const silent = new Set<string>();
    const walk = (schema: JsonSchema, at: string): void => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        if (!field.description) silent.add(`${at}.${name}`);
        walk(field, `${at}.${name}`);
      }
      for (const inner of [schema.items, schema.anyOf].flat()) if (inner) walk(inner as JsonSchema, at);
    };
    for (const [name, schema] of Object.entries(document.components.schemas))
      if (/^(Prop|ApiProp|Geocode|SuburbsList(Data)?$|Me|Refusal|Validation)/.test(name)) walk(schema, name);
    expect([...silent]).toEqual([]);
  });

  it('describes every operation in a sentence', () => {
    for (const { name, doc } of OPERATIONS) expect(doc, name).toMatch(/^[A-Z/`a-z].{15,}\.$/s);
  });
});
