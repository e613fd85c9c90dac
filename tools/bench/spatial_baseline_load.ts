import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asgsFile } from '../sample/asgs/writer.ts';
import { type HazardFile, TENURE_FILE } from './spatial_hazards.ts';
import { MODES } from './spatial_releases.ts';

const run = promisify(execFile);

/** Tables of G-NAF that addresses are made of. */
export const GNAF_TABLES = [
  'ADDRESS_DETAIL',
  'ADDRESS_DEFAULT_GEOCODE',
  'ADDRESS_MESH_BLOCK_2021',
  'MB_2021',
  'LOCALITY',
  'STREET_LOCALITY',
] as const;
const LEVELS = ['MB', 'SA1', 'SA2', 'SA3', 'SA4', 'SAL', 'LGA', 'POA'] as const;
const CSV = {
  places: 'id int, name text, kind text, lon float8, lat float8',
  schools:
    'id int, name text, suburb text, state text, postcode text, sector text, level text, special text, lat float8, lon float8',
  tenure:
    'sa1 text, owned int, mortgaged int, agents int, state int, community int, rented int, other int, unknown int, total int',
} as const;

/** The programs that load the files which are not there: `shp2pgsql` (Debian: postgis), `psql`, `unzip`. */
export function missingTools(): string[] {
  return ['shp2pgsql', 'psql', 'unzip'].filter((tool) => {
    try {
      execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
}

/** Command that loads a shapefile into the table `raw_…`. */
const shapefile = (path: string, table: string): string =>
  `shp2pgsql -D -s 7844 '${path}.shp' raw_${table} 2>/dev/null | psql -qX -v ON_ERROR_STOP=1 >/dev/null`;

/** Command that loads a table of G-NAF, all its columns as text. */
const gnafTable = (zip: string, table: string): string =>
  `member=$(unzip -Z1 '${zip}' | grep '/VIC_${table}_psv') &&
  columns=$( (unzip -p '${zip}' "$member" 2>/dev/null || :) | head -1 | tr -d '\\r' | sed 's/|/ text, /g') &&
  psql -qXc "create unlogged table raw_${table} ($columns text)" &&
  unzip -p '${zip}' "$member" | psql -qXc "copy raw_${table} from stdin csv header delimiter '|'"`;

const csv = (path: string, table: keyof typeof CSV): string =>
  `psql -qXc 'create unlogged table raw_${table} (${CSV[table]})' -c "\\copy raw_${table} from '${path}' csv header"`;

/** Loads the files of a folder by the programs that come with PostGIS, two at a time, the large ones first. */
export async function loadFiles(folder: string, port: number, hazards: readonly HazardFile[]): Promise<void> {
  const commands = [
    shapefile(join(folder, 'parcels'), 'parcel'),
    ...GNAF_TABLES.map((table) => gnafTable(join(folder, 'gnaf.zip'), table)),
    ...hazards.map(({ layer, kind }) =>
      kind === null ? csv(join(folder, TENURE_FILE), 'tenure') : shapefile(join(folder, layer), layer),
    ),
    shapefile(join(folder, 'zones'), 'zone'),
    shapefile(join(folder, 'overlays'), 'overlay'),
    ...MODES.map((mode) => shapefile(join(folder, mode), mode)),
    ...LEVELS.map((level) => shapefile(join(folder, 'asgs', asgsFile(level)), level)),
    csv(join(folder, 'places.csv'), 'places'),
    csv(join(folder, 'schools.csv'), 'schools'),
  ];
  const env = {
    ...process.env,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'bench',
    PGDATABASE: 'postgres',
  };
  const work = async (): Promise<void> => {
    for (let next = commands.shift(); next !== undefined; next = commands.shift())
      await run('bash', ['-c', `set -o pipefail; ${next}`], { env });
  };
  await Promise.all([work(), work()]);
}
