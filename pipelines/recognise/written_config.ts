import { basename, dirname, extname, join } from 'node:path';
import { stringify } from 'yaml';
import { groupBy } from '../../schema/group_by.ts';
import { closedLicence } from '../../schema/licence.ts';
import { adapterNamed } from '../../sources/index.ts';
import type { Recognised, Recognition, Unrecognised } from './recognised.ts';
import { missingNeeds } from './roles.ts';
import { type LicenceRule, statedLicence } from './stated_licence.ts';

/** Returns text as comment lines; whatever a file name or message contains, it stays a comment. */
const comment = (text: string, indent = ''): string =>
  text
    .split(/[\n\r\u0085\u2028\u2029]/)
    .map((line) => `${indent}# ${line}`.trimEnd())
    .join('\n');

const indented = (text: string, by: string): string => text.trimEnd().replace(/^/gm, by);

/** Returns what the files state about themselves, as a comment above the dataset. */
function about({ adapter, release, crs, notes, second, question }: Recognised): string {
  const { title } = adapterNamed(adapter);
  const label = release.id.startsWith('files ')
    ? 'the files state no release, so their content hash names it (or set release)'
    : `release ${release.id}`;
  const datum = question !== null && crs !== null ? null : (crs ?? release.crs.stated);
  const other =
    second === null
      ? []
      : [`It may also be: adapter: ${second.adapter}, options: ${JSON.stringify(second.options)}`];
  return [`${title}; ${label}${datum === null ? '' : `; CRS ${datum}`}`, ...notes, ...other]
    .map((line) => comment(line, '  '))
    .join('\n');
}

/**
 * Returns the licence line of a dataset, if stated; an open licence of its adapter needs none. Below it is why a refresh would reject the
 * dataset.
 */
function licenceLine(dataset: Recognised, rules: readonly LicenceRule[]): string {
  const licence = statedLicence(dataset, rules);
  const why = closedLicence(dataset.id, { stated: licence, own: adapterNamed(dataset.adapter).licence });
  const line = licence === null ? '' : `    licence: ${JSON.stringify(licence)}\n`;
  const blank = licence === null && why !== null ? `${comment('licence: …', '    ')}\n` : '';
  return `${line}${blank}${why === null ? '' : `${comment(why, '    ')}\n`}`;
}

function datasetText(dataset: Recognised, base: string, rules: readonly LicenceRule[]): string {
  const { id, adapter, path, crs, options } = dataset;
  const paths = path.map((each) => join(base, each));
  const entry = {
    [id]: {
      adapter,
      path: paths.length === 1 ? paths[0] : paths,
      ...(crs === null ? {} : { crs }),
    },
  };
  const optionsLine = Object.keys(options).length === 0 ? '' : `    options: ${JSON.stringify(options)}\n`;
  const body = `${indented(stringify(entry, { lineWidth: 0 }), '  ')}\n${licenceLine(dataset, rules)}${optionsLine}`;
  if (dataset.question === null) return `${about(dataset)}\n${body}`;
  return `${about(dataset)}\n${comment(dataset.question, '  ')}\n${body.trimEnd().replace(/^ {2}(# )?/gm, '  # ')}\n`;
}

/** Lists unrecognised files: one line for files with the same folder, extension and reason; below a file, its proposal. */
function unrecognisedText({ unrecognised }: Recognition, base: string, inspect: string): string {
  if (unrecognised.length === 0) return '';
  const kinds = groupBy(unrecognised, ({ file, why, proposed }) =>
    proposed === null ? JSON.stringify([dirname(file), extname(file), why]) : file,
  );
  const entries = [...kinds.values()].map((files) => {
    const [{ file, why, proposed }] = files as [Unrecognised, ...Unrecognised[]];
    const names = files.map((each) => basename(each.file)).join(', ');
    const head = comment(`- ${join(base, dirname(file), names)}: ${why}`, '  ');
    if (proposed === null) return head;
    return `${head}\n${comment(`fill in each …, a name and a path:\n${indented(proposed, '  ')}`, '  ')}`;
  });
  return `\n${comment(`Not read. ${inspect} shows what is in a file; docs/field_maps.md has the grammar of maps.`, '  ')}\n${entries.join('\n')}\n`;
}

/**
 * Writes a configuration of the recognised datasets, with comments. `base`: path from the configuration's folder to the releases.
 * `licences`: stated ones; a dataset without one gets its adapter's.
 */
export function configText(
  recognition: Recognition,
  { base, licences, inspect }: { base: string; licences: readonly LicenceRule[]; inspect: string },
): string {
  const datasets = recognition.datasets.map((dataset) => datasetText(dataset, base, licences));
  return [
    `${comment('Datasets recognised in a folder. Every key and its default: docs/configuration.md.')}\n`,
    `${comment('Omitted keys have their defaults; coverage, for example, comes from the field map of the state.')}\n`,
    ...missingNeeds(recognition.datasets).map((text) => `${comment(`Not there: ${text}.`)}\n`),
    recognition.datasets.every(({ question }) => question !== null)
      ? `datasets: {}\n${datasets.join('')}`
      : `datasets:\n${datasets.join('')}`,
    unrecognisedText(recognition, base, inspect),
  ].join('');
}
