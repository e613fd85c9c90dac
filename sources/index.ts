import { EtlError } from '../schema/errors.ts';
import type { SourceAdapter } from './adapter.ts';
import { asgsAdapter } from './asgs/adapter.ts';
import { cadastreAdapter } from './cadastre/adapter.ts';
import { gnafAdapter } from './gnaf/adapter.ts';
import { zoningAdapter } from './zoning/adapter.ts';

/** Every source adapter; the configuration selects one by its name. */
export const ADAPTERS: readonly SourceAdapter[] = [gnafAdapter, asgsAdapter, cadastreAdapter, zoningAdapter];

/** The adapter that a configuration names; an unknown name is an error that lists those there are. */
export function adapterNamed(name: string): SourceAdapter {
  const found = ADAPTERS.find((adapter) => adapter.name === name);
  if (found) return found;
  throw new EtlError(
    'unknown_adapter',
    `There is no adapter "${name}". There are: ${ADAPTERS.map((a) => a.name).join(', ')}.`,
  );
}
