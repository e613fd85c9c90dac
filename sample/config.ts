import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const STATES = ['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'] as const;

/** One dataset of a state; its licence says that it was generated, so that nobody mistakes it for the publisher's data. */
const stateDataset = (
  kind: string,
  adapter: string,
  folder: string,
  state: string,
): string => `  ${kind}_${state.toLowerCase()}:
    adapter: ${adapter}
    path: ${folder}/${state.toLowerCase()}/*.shp
    licence: generated
    options: { state: ${state} }
`;

/** Writes `config.yaml` of a sample country into its folder. */
export async function writeSampleConfig(
  dir: string,
  made: { properties: number; seed: number },
): Promise<void> {
  const parts = [
    `# Sample country: ${made.properties} properties, seed ${made.seed}. Generated data in the publishers' formats; no real place.\n`,
    'datasets:\n',
    '  gnaf:\n    adapter: gnaf\n    path: gnaf/*.zip\n    licence: generated\n',
    '  asgs:\n    adapter: asgs\n    path: asgs/*.shp\n    licence: generated\n',
  ];
  for (const state of STATES) {
    const name = state.toLowerCase();
    if (existsSync(join(dir, 'cadastre', name)))
      parts.push(stateDataset('cadastre', 'cadastre', 'cadastre', state));
    if (existsSync(join(dir, 'planning', name)))
      parts.push(stateDataset('zoning', 'zoning', 'planning', state));
  }
  await writeFile(join(dir, 'config.yaml'), parts.join(''));
}
