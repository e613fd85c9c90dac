import { join } from 'node:path';
import { stringify } from 'yaml';
import { OPEN_LICENCES } from '../../schema/config.ts';
import { adapterNamed } from '../../sources/index.ts';
import type { Recognised, Recognition } from './recognise.ts';

/** Lines of a comment; whatever a file name or a message holds, it stays a comment. */
const comment = (text: string, indent = ''): string =>
  text
    .split(/[\n\r\u0085\u2028\u2029]/)
    .map((line) => `${indent}# ${line}`.trimEnd())
    .join('\n');

const indented = (text: string, by: string): string => text.trimEnd().replace(/^/gm, by);

/** What the files say of themselves, as a comment above the dataset. */
function about({ adapter, release, crs, notes }: Recognised): string {
  const { title } = adapterNamed(adapter);
  const label = release.id.startsWith('files ')
    ? 'the files state no release: their content names it (set release to name it yourself)'
    : `release ${release.id}`;
  const datum = crs ?? release.crs.stated;
  return [`${title}; ${label}${datum === null ? '' : `; CRS ${datum}`}`, ...notes]
    .map((line) => comment(line, '  '))
    .join('\n');
}

/** The licence line of a dataset: as given, none where that of its adapter is open, else what has to be stated. */
function licenceLine(adapter: string, licence: string | null): string {
  const own = adapterNamed(adapter).licence;
  if (licence !== null) return `    licence: ${JSON.stringify(licence)}\n`;
  if (OPEN_LICENCES.includes(own)) return '';
  return `${comment(`licence: …  has to be stated before it is read. Of its publishers: ${own}`, '    ')}\n`;
}

function datasetText(dataset: Recognised, base: string, licence: string | null): string {
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
  return `${about(dataset)}\n${indented(stringify(entry, { lineWidth: 0 }), '  ')}\n${licenceLine(adapter, licence)}${optionsLine}`;
}

/** What was not recognised, with what could be said of it, as comments. */
function unrecognisedText({ unrecognised }: Recognition, base: string, inspect: string): string {
  if (unrecognised.length === 0) return '';
  const entries = unrecognised.map(({ file, why, proposed }) => {
    const head = comment(`- ${join(base, file)}: ${why}`, '  ');
    if (proposed === null) return head;
    return `${head}\n${comment(`to be completed where … stands, with a name and a path:\n${indented(proposed, '  ')}`, '  ')}`;
  });
  return `\n${comment(`Not read. ${inspect} shows what is in a file; docs/field_maps.md has the grammar of maps.`, '  ')}\n${entries.join('\n')}\n`;
}

/**
 * A configuration of what was recognised, with comments. `base` leads from the folder of the configuration to that of the releases;
 * `licence` is that of every dataset, null: the adapters', where they are open.
 */
export function configText(
  recognition: Recognition,
  { base, licence, inspect }: { base: string; licence: string | null; inspect: string },
): string {
  const datasets = recognition.datasets.map((dataset) => datasetText(dataset, base, licence));
  return [
    `${comment('Datasets that were recognised in a folder. Every key and its default: docs/configuration.md.')}\n`,
    `${comment('What is left out holds its default: coverage, for one, is what the field map of a state says of its layer.')}\n`,
    datasets.length === 0 ? 'datasets: {}\n' : `datasets:\n${datasets.join('')}`,
    unrecognisedText(recognition, base, inspect),
  ].join('');
}
