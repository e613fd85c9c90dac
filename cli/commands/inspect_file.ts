import { stringify } from 'yaml';
import { type FileView, viewFiles } from '../../pipelines/recognise/file_view.ts';
import type { Proposal } from '../../pipelines/recognise/map_evidence.ts';
import { findFiles } from '../../store/loads/files.ts';
import { printLine } from '../print.ts';
import { columns } from '../render.ts';

const indented = (text: string): string => text.trimEnd().replace(/^/gm, '    ');

/** Describes the CRS. WGS 84 names no Australian datum, so the publisher's datum decides. */
const crsText = ({ crs, names_datum }: FileView): string =>
  crs === null
    ? 'not stated: set crs of the dataset'
    : names_datum === false
      ? `${crs.slice(0, 60)}, not an Australian datum: set crs of the dataset (EPSG:4283 for GDA94, EPSG:7844 for GDA2020)`
      : crs.slice(0, 60);

/** Describes a layer by its first features. Empty for a file without layers. */
const layerLines = (view: FileView): string[] => {
  const { families, states, looked, columns: seen } = view;
  if (looked === 0) return [];
  return [
    `  ${families.join(', ') || 'no shapes'}; CRS ${crsText(view)}${states.length === 0 ? '' : `; in ${states.join(' or ')}`}`,
    `  columns, of the first ${looked} features`,
    columns(
      seen.map(({ name, filled, distinct, values }) => [
        name,
        `${filled} filled, ${distinct} different`,
        values.join(', ').slice(0, 80),
      ]),
      '    ',
    ),
  ];
};

/** A proposal as YAML, and what speaks for it. */
const proposalText = ({ evidence = [], ...proposal }: Proposal, isFirst: boolean): string =>
  [
    `  ${isFirst ? 'proposal; fill in each … (docs/field_maps.md)' : 'and, for the same layer'}:`,
    indented(stringify(proposal)),
    ...(evidence.length === 0 ? [] : [`    # ${evidence.join('; ')}`]),
  ].join('\n');

const viewText = (view: FileView): string =>
  [
    `${view.file}:`,
    ...layerLines(view),
    ...(view.problem === null ? [] : [`  ${view.problem}`]),
    ...(view.proposals.length === 0
      ? ['  not recognised; docs/field_maps.md describes field maps']
      : view.proposals.map((proposal, i) => proposalText(proposal, i === 0))),
  ].join('\n');

/** Shows the content of files, and the datasets that they could be read as. */
export async function inspectFileCommand(paths: readonly string[], flags: { json?: boolean }): Promise<void> {
  const views = await viewFiles(await findFiles(paths, process.cwd()));
  const text = flags.json ? JSON.stringify(views) : views.map(viewText).join('\n\n');
  await printLine(text);
}
