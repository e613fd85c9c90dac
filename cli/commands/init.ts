import { stat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { recognise } from '../../pipelines/recognise/recognise.ts';
import type { Recognition } from '../../pipelines/recognise/recognised.ts';
import { missingNeeds } from '../../pipelines/recognise/roles.ts';
import {
  checkRules,
  type LicenceRule,
  licenceRule,
  statedLicence,
} from '../../pipelines/recognise/stated_licence.ts';
import { configText } from '../../pipelines/recognise/written_config.ts';
import { typed } from '../../schema/command_line.ts';
import { EtlError } from '../../schema/errors.ts';
import { closedLicence } from '../../schema/licence.ts';
import { adapterNamed } from '../../sources/index.ts';
import { checkNew, writeNew } from '../../store/system/output_path.ts';
import { DEFAULT_FILE } from '../load_config.ts';
import { plural } from '../plural.ts';
import { printLine } from '../print.ts';
import { progressFor } from '../progress.ts';

interface InitFlags {
  out: string;
  licence?: string[];
  json?: boolean;
}

const DOCUMENT = /\.(ya?ml|md|pdf|docx?|html?)$/i;

const unread = (files: number): string =>
  files === 0
    ? ''
    : ` ${plural(files, 'file')} ${files === 1 ? 'was' : 'were'} not recognised; its last lines list ${files === 1 ? 'it' : 'them'}.`;

/** Lists what was written, and what to do before a refresh. */
function summary(
  { datasets, unrecognised }: Recognition,
  out: string,
  licences: readonly LicenceRule[],
): string {
  const withQuestion = datasets.filter(({ question }) => question !== null);
  const withoutQuestion = datasets.filter(({ question }) => question === null);
  const closed = withoutQuestion
    .map((each) =>
      closedLicence(each.id, {
        stated: statedLicence(each, licences),
        own: adapterNamed(each.adapter).licence,
      }),
    )
    .filter((why) => why !== null);
  return [
    `Wrote ${out}: ${plural(withoutQuestion.length, 'dataset')}.${unread(unrecognised.length)}`,
    ...missingNeeds(datasets).map((text) => `Not there: ${text}.`),
    ...withQuestion.map(({ path, question }) => `${path.join(', ')} – ${question}`),
    ...withoutQuestion.flatMap(({ id, coverage_question }) =>
      coverage_question === null ? [] : [`${id} – ${coverage_question}`],
    ),
    ...closed,
    ...(closed.length === 0
      ? []
      : [
          'One licence for every dataset: --licence <name>; for all of one publisher: --licence VIC=<name>, or a folder, an adapter or a dataset instead of VIC.',
        ]),
    `Next: ${typed(resolve(out) === resolve(DEFAULT_FILE) ? 'plan' : `plan --config ${out}`)}`,
  ].join('\n');
}

/** Writes a configuration for the releases in a folder. Replaces no file. */
export async function initCommand(folder: string, flags: InitFlags): Promise<void> {
  const from = resolve(folder);
  const info = await stat(from).catch(() => null);
  if (info === null || !info.isDirectory())
    throw new EtlError('config_invalid', `${folder} is not a folder. Give the folder with the releases.`);
  await checkNew(flags.out);
  const licences = (flags.licence ?? []).map(licenceRule);
  let end = (): void => undefined;
  const recognition = await recognise(
    from,
    (file) => DOCUMENT.test(file),
    (files) => {
      const bar = progressFor(flags.json ?? false).start('look at files', files);
      end = bar.end;
      return () => bar.done(1);
    },
  );
  end();
  checkRules(recognition.datasets, licences);
  const base = relative(dirname(resolve(flags.out)), from);
  const text = configText(recognition, { base, licences, inspect: typed('inspect <file>') });
  await writeNew(flags.out, text);
  printLine(
    flags.json
      ? JSON.stringify({ out: resolve(flags.out), ...recognition })
      : summary(recognition, flags.out, licences),
  );
}
