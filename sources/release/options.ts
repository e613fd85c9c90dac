import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig } from '../adapter.ts';

/** Parses the options of a dataset with its adapter's schema. EtlError `bad_option` names the dataset, the option and the reason. */
export function parseOptions<S extends z.ZodType>(schema: S, dataset: DatasetConfig): z.output<S> {
  const parsed = schema.safeParse(dataset.options);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues
    .map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}${suggestion(issue, schema)}`)
    .join('; ');
  throw badOption(dataset, why);
}

/** Suggests the option that an unknown one may mean: ` (did you mean field_map?)`; '' if none is similar. */
function suggestion(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code !== 'unrecognized_keys' || issue.path.length > 0 || !(schema instanceof z.ZodObject))
    return '';
  const optionNames = Object.keys(schema.shape);
  const suggestions = issue.keys.flatMap((key) => {
    const part = optionNames.find((name) => name.split('_').includes(key.toLowerCase()));
    return part ?? optionNames.find((name) => distance(key, name) <= 2) ?? [];
  });
  return suggestions.length === 0 ? '' : ` (did you mean ${suggestions.join(', ')}?)`;
}

/** Builds the EtlError `bad_option` for the options of a dataset. */
export const badOption = (dataset: DatasetConfig, what: string): EtlError =>
  new EtlError('bad_option', `dataset ${dataset.id}: ${what}. Correct its options in the configuration.`, {
    details: { dataset: dataset.id, options: dataset.options },
  });

/** Returns the column map that a dataset names; `what` is its kind in words. EtlError `bad_option` lists the existing maps. */
export function namedMap<M>(
  maps: Readonly<Record<string, M>>,
  name: string,
  dataset: DatasetConfig,
  what: string,
): M {
  if (Object.hasOwn(maps, name)) return maps[name]!;
  const mapNames = Object.keys(maps).join(', ');
  throw badOption(dataset, `unknown ${what} ${name}. Use one of ${mapNames}, or write your own field_map`);
}
