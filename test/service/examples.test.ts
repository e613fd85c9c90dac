import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../service/server.ts';
import { type Scene, setScene } from './scene.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  example: unknown;
}

interface Described {
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { example?: unknown } } };
  description: string;
}

describe('the examples of the OpenAPI document', () => {
  let scene: Scene;
  let service: Service;
  let paths: Record<string, Record<string, Described>>;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start();
    ({ paths } = (await (await fetch(`${service.base_url}/openapi.json`)).json()) as { paths: typeof paths });
  });
  afterAll(() => scene?.close());

  const textOf = (value: unknown): string =>
    encodeURIComponent(Array.isArray(value) ? value.join(',') : String(value));

  /** Calls an operation with the examples of some of its parameters. */
  const callWith = (
    path: string,
    method: string,
    { requestBody }: Described,
    given: readonly Parameter[],
  ) => {
    const at = given
      .filter((each) => each.in === 'path')
      .reduce((url, { name, example }) => url.replace(`{${name}}`, textOf(example)), path);
    const query = given
      .filter((each) => each.in === 'query')
      .map(({ name, example }) => `${name}=${textOf(example)}`)
      .join('&');
    const headers = { authorization: `Bearer ${service.sandbox_key}`, 'content-type': 'application/json' };
    const body = requestBody && JSON.stringify(requestBody.content['application/json'].example);
    return fetch(`${service.base_url}${at}${query && `?${query}`}`, {
      method: method.toUpperCase(),
      headers,
      ...(body === undefined ? {} : { body }),
    });
  };

  it('work with the sandbox key: the required ones, each optional one, and all together', async () => {
    let calls = 0;
    const failed: string[] = [];
    const refused: string[] = [];
    for (const [path, methods] of Object.entries(paths))
      for (const [method, described] of Object.entries(methods)) {
        if (described.description.includes('Not for the sandbox key.')) {
          refused.push(path);
          continue;
        }
        const { parameters = [] } = described;
        const required = parameters.filter((each) => each.required);
        const optional = parameters.filter((each) => !each.required);
        const needed = path.includes('property_finder')
          ? optional.filter(({ name }) => name === 'suburbs')
          : [];
        const first = [...required, ...needed];
        const choices = [first, parameters, ...optional.map((each) => [...new Set([...first, each])])];
        for (const given of choices) {
          const response = await callWith(path, method, described, given);
          calls++;
          const text = await response.text();
          if (response.status !== 200 || /"no_data":"unknown_/.test(text))
            failed.push(
              `${method} ${path} ${given.map(({ name }) => name)}: ${response.status} ${text.slice(0, 200)}`,
            );
        }
      }
    expect(failed).toEqual([]);
    expect([...new Set(refused)].sort()).toEqual([
      '/v1/exports/{export}',
      '/v1/watches',
      '/v1/watches/{watch_id}',
    ]);
    expect(calls).toBeGreaterThan(200);
  });

  it('are there for every body', () => {
    for (const [path, methods] of Object.entries(paths))
      for (const { requestBody } of Object.values(methods))
        if (requestBody) expect(requestBody.content['application/json'].example, path).toBeTypeOf('object');
  });
});
