/** The part of JSON Schema that the payloads and parameters use. */
export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  format?: string;
  default?: unknown;
  description?: string;
}

/** One value of a payload, or one parameter. */
export interface Field {
  /** Names from the root; `[]` is an item of a list, `<key>` any member of an object. */
  path: string;
  /** Types without null, sorted. */
  types: string[];
  /** Allowed values; null: not a closed list. */
  values: string[] | null;
  nullable: boolean;
  /** May be absent. */
  optional: boolean;
  min: number | null;
  max: number | null;
  fallback: string | null;
  doc: string;
}

const SAFE = Number.MAX_SAFE_INTEGER;

/** The alternatives of a schema, without null, and whether null is one. */
function alternatives(schema: Schema): { of: Schema[]; nullable: boolean } {
  const all =
    (schema.anyOf ?? schema.oneOf)?.flatMap((each) => {
      const inner = alternatives(each);
      return [...inner.of, ...(inner.nullable ? [{ type: 'null' }] : [])];
    }) ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema]);
  const of = all.filter((each) => each.type !== 'null');
  return { of, nullable: of.length < all.length };
}

const typeName = ({ type, format, enum: values, const: one }: Schema): string => {
  if (typeof type === 'string') return format === 'date' ? 'date' : type;
  return values !== undefined || one !== undefined ? typeof (one ?? values![0]) : 'any';
};

const bound = (value: number | undefined): number | null =>
  value === undefined || Math.abs(value) >= SAFE ? null : value;

function fieldOf(path: string, schema: Schema, optional: boolean): Field {
  const { of, nullable } = alternatives(schema);
  const closed = of.every((each) => each.enum !== undefined || each.const !== undefined);
  const values = of.flatMap((each) => each.enum ?? (each.const === undefined ? [] : [each.const]));
  return {
    path,
    types: [...new Set(of.map(typeName))].sort(),
    values: closed && values.length > 0 ? values.map(String).sort() : null,
    nullable,
    optional,
    min: bound(of[0]?.minimum),
    max: bound(of[0]?.maximum),
    fallback: schema.default === undefined ? null : JSON.stringify(schema.default),
    doc: schema.description ?? '',
  };
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Every value inside a schema, containers before what they hold. The root itself has the path ''. */
export function fieldsOf(schema: Schema, path = '', optional = false): Field[] {
  const fields = [fieldOf(path, schema, optional)];
  for (const each of alternatives(schema).of) {
    for (const [name, inner] of Object.entries(each.properties ?? {}))
      fields.push(...fieldsOf(inner, join(path, name), !each.required?.includes(name)));
    if (each.items) fields.push(...fieldsOf(each.items, `${path}[]`));
    if (typeof each.additionalProperties === 'object' && Object.keys(each.additionalProperties).length > 0)
      fields.push(...fieldsOf(each.additionalProperties, join(path, '<key>'), true));
  }
  return fields;
}
