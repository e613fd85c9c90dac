import { type LayerView, viewFiles } from '../../pipelines/inspect/file_view.ts';
import { findFiles } from '../../store/files.ts';
import { columns } from '../render.ts';

const layerText = (view: LayerView): string =>
  [
    `${view.file}: ${view.families.join(', ') || 'shapes of unknown kind'}; CRS ${view.crs?.slice(0, 60) ?? 'not stated: set crs of the dataset'}`,
    `  columns, of the first ${view.looked} features`,
    columns(
      view.columns.map(({ name, filled, distinct, values }) => [
        name,
        `${filled} filled, ${distinct} different`,
        values.join(', ').slice(0, 80),
      ]),
      '    ',
    ),
    `  maps that fit: ${view.fits.join('; ') || 'none'}`,
    view.proposed === null
      ? '  nothing in it says what it is; docs/field_maps.md has the grammar'
      : `  proposed, to be completed where … stands (docs/field_maps.md):\n${view.proposed.trimEnd().replace(/^/gm, '    ')}`,
  ].join('\n');

/** Shows layers, columns, values and CRS of files, and a field map that they could be read with. */
export async function inspectFileCommand(paths: readonly string[], flags: { json?: boolean }): Promise<void> {
  const views = await viewFiles(await findFiles(paths, process.cwd()));
  const text = flags.json ? JSON.stringify(views) : views.map(layerText).join('\n\n');
  process.stdout.write(`${text}\n`);
}
