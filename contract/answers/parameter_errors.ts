import { z } from 'zod';

/** One finding of a 422 answer (specification, section 7). */
export interface ParameterError {
  type: string;
  loc: (string | number)[];
  msg: string;
  /** The wrong value. Null: missing. */
  input: unknown;
  /** The limits that the value broke. */
  ctx?: Record<string, unknown>;
}

/** A request that is well formed but cannot be answered. */
export class WrongParameters extends Error {
  readonly detail: readonly ParameterError[];

  constructor(...detail: readonly ParameterError[]) {
    super(detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; '));
    this.name = 'WrongParameters';
    this.detail = detail;
  }
}

/** Maximum findings of a request, and maximum length of a wrong value that a finding repeats. */
const FINDINGS_MAX = 20;
const INPUT_MAX = 500;

/** Shows a wrong value: a long text is cut, a long list or object becomes null. */
function shownInput(input: unknown): unknown {
  if (typeof input === 'string') return input.length > INPUT_MAX ? `${input.slice(0, INPUT_MAX)}…` : input;
  if (typeof input !== 'object' || input === null) return input ?? null;
  return JSON.stringify(input).length > INPUT_MAX ? null : input;
}

/** Shows an unknown name. */
const shownName = (name: string): string => name.slice(0, INPUT_MAX);

/** Finding for parameters that are not an object, such as a text or a list. */
export const notAnObject = (value: unknown, location: ParameterLocation): ParameterError => ({
  type: 'dict_type',
  loc: [location],
  msg: 'Input should be a valid object',
  input: shownInput(value),
});

export type ParameterLocation = 'path' | 'query' | 'body';

type ParameterIssue = Pick<ParameterError, 'type' | 'msg' | 'ctx'>;
type Issue = z.core.$ZodIssue;

/** Finding for a value of the wrong type. A text in place of a number or flag is one that does not parse. */
function ofType(expected: string, input: unknown): ParameterIssue {
  const isText = typeof input === 'string';
  switch (expected) {
    case 'int':
      if (isText)
        return { type: 'int_parsing', msg: 'Input should be a valid integer, unable to parse text as one' };
      return typeof input === 'number'
        ? { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fraction' }
        : { type: 'int_type', msg: 'Input should be a valid integer' };
    case 'number':
      return isText
        ? { type: 'float_parsing', msg: 'Input should be a valid number, unable to parse text as one' }
        : { type: 'float_type', msg: 'Input should be a valid number' };
    case 'boolean':
      return isText
        ? { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' }
        : { type: 'bool_type', msg: 'Input should be a valid boolean' };
    case 'string':
      return { type: 'string_type', msg: 'Input should be a valid string' };
    case 'array':
      return { type: 'list_type', msg: 'Input should be a valid list' };
    case 'object':
    case 'record':
      return { type: 'dict_type', msg: 'Input should be a valid object' };
    default:
      return { type: 'value_error', msg: `Input should be ${expected}` };
  }
}

const ORIGIN: Readonly<Record<string, string>> = { string: 'string', array: 'list', set: 'list' };

/** Finding for a value beyond a bound: texts and lists are too short or too long. */
function beyond(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): ParameterIssue {
  const isSmall = issue.code === 'too_small';
  const bound = Number(isSmall ? issue.minimum : issue.maximum);
  const origin = ORIGIN[issue.origin];
  if (origin === 'string') {
    const name = isSmall ? 'min_length' : 'max_length';
    return {
      type: isSmall ? 'string_too_short' : 'string_too_long',
      msg: `String should have at ${isSmall ? 'least' : 'most'} ${bound} character${bound === 1 ? '' : 's'}`,
      ctx: { [name]: bound },
    };
  }
  if (origin === 'list') {
    return {
      type: isSmall ? 'too_short' : 'too_long',
      msg: `List should have at ${isSmall ? 'least' : 'most'} ${bound} item${bound === 1 ? '' : 's'}`,
      ctx: { [isSmall ? 'min_length' : 'max_length']: bound },
    };
  }
  const orEqual = issue.inclusive !== false;
  const word = `${isSmall ? 'greater' : 'less'} than${orEqual ? ' or equal to' : ''}`;
  return {
    type: `${isSmall ? 'greater' : 'less'}_than${orEqual ? '_equal' : ''}`,
    msg: `Input should be ${word} ${bound}`,
    ctx: { [`${isSmall ? 'g' : 'l'}${orEqual ? 'e' : 't'}`]: bound },
  };
}

/** Names a finding of zod as pydantic does. */
function describeIssue(issue: Issue, input: unknown, isWhole: boolean): ParameterIssue {
  switch (issue.code) {
    case 'invalid_type':
      return ofType(isWhole && issue.expected === 'number' ? 'int' : issue.expected, input);
    case 'too_small':
    case 'too_big':
      return beyond(issue);
    case 'invalid_value': {
      const expected = issue.values.map((value) => `'${String(value)}'`).join(', ');
      return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
    }
    case 'invalid_format':
      return { type: 'string_pattern_mismatch', msg: `String ${issue.message}` };
    default:
      return { type: 'value_error', msg: issue.message };
  }
}

/** Phrases a finding of zod for people: the option `error` of a parse. Undefined: the finding has words of its own. */
export function plainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_format' || issue.code === 'custom') return undefined;
  if (issue.input === undefined && issue.code === 'invalid_type') return 'Field required';
  return describeIssue(issue as Issue, issue.input, false).msg;
}

function valueAt(query: unknown, path: readonly PropertyKey[]): unknown {
  let value = query;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return value;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** Names of whole-number parameters, by schema: for a text that is not a number, zod does not report which kind was expected. */
const WHOLE = new WeakMap<z.ZodType, ReadonlySet<string>>();
function wholeNumbers(schema: z.ZodType): ReadonlySet<string> {
  const cached = WHOLE.get(schema);
  if (cached) return cached;
  const { properties = {} } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  const names = Object.entries(properties).filter(
    ([, each]) => typeof each === 'object' && each.type === 'integer',
  );
  const wholeNames = new Set(names.map(([name]) => name));
  WHOLE.set(schema, wholeNames);
  return wholeNames;
}

/** Converts the findings of zod to the specification's form: one for each unknown name, the first 20 in all. */
export function parameterErrors(
  issues: readonly Issue[],
  schema: z.ZodType,
  query: Readonly<Record<string, unknown>>,
  location: ParameterLocation,
): ParameterError[] {
  const findings = issues.slice(0, FINDINGS_MAX).flatMap((issue): ParameterError[] => {
    const loc = [location, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
    if (issue.code === 'unrecognized_keys') {
      const msg = 'Extra inputs are not permitted';
      return issue.keys.slice(0, FINDINGS_MAX).map((key) => ({
        type: 'extra_forbidden',
        loc: [...loc, shownName(key)],
        msg,
        input: shownInput(query[key]),
      }));
    }
    // In a query a list is one text, so its items have no location of their own.
    const fullValue = issue.path[0] === undefined ? query : query[String(issue.path[0])];
    if (issue.path.length > 0 && fullValue === undefined)
      return [{ type: 'missing', loc, msg: 'Field required', input: null }];
    const input = typeof fullValue === 'string' ? fullValue : valueAt(query, issue.path);
    const isWhole = wholeNumbers(schema).has(String(issue.path[0]));
    return [{ ...describeIssue(issue, input, isWhole), loc, input: shownInput(input) }];
  });
  return findings.slice(0, FINDINGS_MAX);
}
