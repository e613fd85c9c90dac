import { FIELD_TEXTS } from './field_texts.ts';
import type { JsonSchema } from './schemas.ts';

/** Property, suburb and publication of the examples of requests. */
export interface ExampleSubjects {
  readonly gnaf_pid: string;
  readonly sal: string;
  readonly address: string;
  readonly publication: number;
}

/** Subjects of examples outside an installation. */
export const EXAMPLE_SUBJECTS: ExampleSubjects = {
  gnaf_pid: 'GAVIC419929404',
  sal: 'St Kilda (Vic.)',
  address: '12 ACLAND STREET, ST KILDA VIC 3182',
  publication: 1,
};

/** Examples of parameters by name. Everything that they name is a sample of the sandbox key. */
const parameterExamples = ({
  gnaf_pid,
  sal,
  address,
  publication,
}: ExampleSubjects): Readonly<Record<string, unknown>> => ({
  gnaf_id: gnaf_pid,
  id: gnaf_pid,
  ids: [gnaf_pid],
  address,
  suburb_name: sal,
  suburb: sal,
  suburbs: [sal],
  q: sal,
  as_of: publication,
  since: publication,
});

/** Builds an example value of a parameter. */
export function parameterExample(name: string, schema: JsonSchema, subjects: ExampleSubjects): unknown {
  return parameterExamples(subjects)[name] ?? schema.default ?? exampleOf(schema, {}, name);
}

/** Fields that an example leaves out: fields of answers without data, and shapes that must be requested. */
const LEFT_OUT = new Set(['available', 'reason', 'message', 'no_data', 'geojson', 'geojson_meta']);

const FORMATS: Readonly<Record<string, string>> = { date: '2026-06-30', 'date-time': '2026-06-30T03:00:00Z' };

/** Type of a value in JSON Schema. */
const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value);

/** True if a schema allows values of a type. */
const takes = ({ type, anyOf }: JsonSchema, wantedType: string): boolean =>
  anyOf !== undefined
    ? (anyOf as JsonSchema[]).some((each) => takes(each, wantedType))
    : [type].flat().some((each) => (each === 'integer' ? 'number' : each) === wantedType);

/** Builds an example value: the field's known example if it fits, else the simplest that the schema allows. */
export function exampleOf(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
  name = '',
): unknown {
  const of = (inner: unknown, field = name): unknown => exampleOf(inner as JsonSchema, schemas, field);
  if (typeof schema.$ref === 'string') return of(schemas[schema.$ref.split('/').at(-1)!]);
  if ('const' in schema) return schema.const;
  const fieldText = Object.hasOwn(FIELD_TEXTS, name) ? FIELD_TEXTS[name]![1] : undefined;
  if (fieldText !== undefined && takes(schema, typeOf(fieldText)) && !(fieldText === null && schema.enum)) {
    const words = schema.enum as unknown[] | undefined;
    return words === undefined || words.includes(fieldText) ? fieldText : words[0];
  }
  if (schema.examples) return (schema.examples as unknown[])[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return (schema.enum as unknown[])[0];
  if (schema.anyOf) return of((schema.anyOf as unknown[])[0]);
  if (schema.prefixItems) return (schema.prefixItems as unknown[]).map((each) => of(each));
  switch ([schema.type].flat()[0]) {
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const shownKeys = Object.keys(properties).filter((key) => required.includes(key) || !LEFT_OUT.has(key));
      return Object.fromEntries(shownKeys.map((key) => [key, of(properties[key], key)]));
    }
    case 'array':
      return schema.items ? [of(schema.items)] : [];
    case 'integer':
    case 'number':
      return Math.min(Math.max(1, Number(schema.minimum ?? 1)), Number(schema.maximum ?? Infinity));
    case 'boolean':
      return false;
    case 'string':
      return FORMATS[String(schema.format)] ?? 'text';
    default:
      return null;
  }
}
