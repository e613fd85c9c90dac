import type { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig } from '../adapter.ts';

/** The options of a dataset as its adapter declares them. EtlError `bad_option` names the dataset, the option and why. */
export function parseOptions<S extends z.ZodType>(schema: S, dataset: DatasetConfig): z.output<S> {
  const parsed = schema.safeParse(dataset.options);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues
    .map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`)
    .join('; ');
  throw new EtlError(
    'bad_option',
    `dataset ${dataset.id}: ${why}. Correct its options in the configuration.`,
    {
      details: { dataset: dataset.id, options: dataset.options },
    },
  );
}
