import { EtlError } from '../../schema/errors.ts';
import { isOpenLicence } from '../../schema/licence.ts';
import { adapterNamed } from '../../sources/index.ts';
import type { Recognised } from './recognised.ts';

/** A licence, and the datasets that it applies to. */
export interface LicenceRule {
  /** State, folder, adapter or name of the datasets; null: every dataset whose adapter names no open licence. */
  readonly of: string | null;
  readonly licence: string;
}

/** Parses `CC BY 4.0`, or `VIC=CC BY 4.0` for the datasets of a publisher. @throws EtlError `config_invalid` if the licence is blank */
export function licenceRule(text: string): LicenceRule {
  const at = text.indexOf('=');
  const [of, licence] = [at < 0 ? null : text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (licence === '' || of === '')
    throw new EtlError('config_invalid', `--licence ${text}: name the licence, or <publisher>=<licence>.`);
  return { of, licence };
}

/** Returns whether a rule applies to a dataset: by its name, adapter, state or a folder of its files. */
function isOf(of: string, { id, adapter, options, path }: Recognised): boolean {
  const folders = path.flatMap((each) => each.split('/').slice(0, -1));
  const names = [id, adapter, String(options.state ?? ''), ...folders];
  return names.some((name) => name.toLowerCase() === of.toLowerCase());
}

/** Returns the stated licence of a dataset: its last matching rule, or the general one if its adapter names no open licence. Null: none. */
export function statedLicence(dataset: Recognised, rules: readonly LicenceRule[]): string | null {
  const ownRule = rules.findLast(({ of }) => of !== null && isOf(of, dataset));
  const all = isOpenLicence(adapterNamed(dataset.adapter).licence)
    ? undefined
    : rules.findLast(({ of }) => of === null);
  return (ownRule ?? all)?.licence ?? null;
}

/** Rejects a rule that matches no dataset, such as a misspelt name. @throws EtlError config_invalid */
export function checkRules(datasets: readonly Recognised[], rules: readonly LicenceRule[]): void {
  for (const { of } of rules)
    if (of !== null && !datasets.some((dataset) => isOf(of, dataset)))
      throw new EtlError(
        'config_invalid',
        `--licence ${of}=…: matches no dataset. Give a state, a folder, an adapter or one of ${datasets.map(({ id }) => id).join(', ')}.`,
      );
}
