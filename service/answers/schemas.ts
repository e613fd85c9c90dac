import { z } from 'zod';
import type { ServiceOperation } from '../operation.ts';
import { FIELD_TEXTS } from './field_texts.ts';
import { AS_OF, OPERATIONS } from './operations.ts';

/** A JSON Schema of draft 2020-12. */
export interface JsonSchema {
  [key: string]: unknown;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  description?: string;
}

const without = (schema: JsonSchema): JsonSchema => {
  const { $schema: _schema, $id: _id, '~standard': _standard, ...rest } = schema;
  return rest;
};

const schemaOf = (type: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  without(z.toJSONSchema(type, { io, unrepresentable: 'any' }) as JsonSchema);

/** JSON schema of parameters after parsing. Required are the ones that a request must give. */
export function paramsSchema(operation: ServiceOperation): JsonSchema {
  const ownSchema = schemaOf(operation.params, 'output');
  const { required } = schemaOf(operation.params, 'input');
  const asOf = operation.hasAsOf ? schemaOf(AS_OF, 'output').properties : {};
  return {
    type: 'object',
    properties: { ...ownSchema.properties, ...asOf },
    ...(required === undefined ? {} : { required }),
    additionalProperties: false,
  };
}

/** Schema of the path's parameter. */
export const idSchema = (operation: ServiceOperation): JsonSchema => schemaOf(operation.id!.schema, 'input');

/** Schema of a tool's arguments: the path's parameter and the other parameters. */
export function inputSchema(operation: ServiceOperation): JsonSchema {
  const params = paramsSchema(operation);
  if (operation.id === null) return params;
  return {
    ...params,
    properties: { [operation.id.name]: idSchema(operation), ...params.properties },
    required: [operation.id.name, ...(params.required ?? [])],
  };
}

/** Name of a response's schema in the document's components. */
export const componentName = (name: string): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Adds descriptions to fields without one, by field name. */
function described(schema: JsonSchema): JsonSchema {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const text = 'const' in field ? `Always ${JSON.stringify(field.const)}.` : FIELD_TEXTS[name]?.[0];
    if (text !== undefined) field.description ??= text;
    described(field);
  }
  for (const inner of [schema.items, schema.anyOf].flat()) if (inner) described(inner as JsonSchema);
  return schema;
}

/** Builds the schemas of all responses, with references to payloads that several share. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  const namedSchemas = new Set<z.ZodType>();
  for (const { name, payload, response } of OPERATIONS) {
    if (!namedSchemas.has(payload)) registry.add(payload, { id: `${componentName(name)}Data` });
    namedSchemas.add(payload);
    if (response !== payload) registry.add(response, { id: componentName(name) });
  }
  const { schemas } = z.toJSONSchema(registry, {
    io: 'output',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, described(without(schema as JsonSchema))]),
  );
}
