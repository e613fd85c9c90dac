import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { cadenceOf } from '../../sources/cadence.ts';
import { ADAPTERS } from '../../sources/index.ts';
import { jsonText } from '../../store/json_text.ts';
import { releaseDate } from './release_date.ts';

/** Area where a dataset is complete for a theme. */
interface Coverage {
  theme: string;
  state: string;
  /** Codes of councils; `*`: the whole state. */
  areas: string[];
}

/** A loaded dataset, with facts from its adapter and the configuration. */
export interface CatalogueEntry {
  dataset: string;
  adapter: string;
  title: string;
  publisher: string;
  release: string;
  /** Date in the release label; null: none. */
  release_date: string | null;
  crs: string;
  parts: string[];
  records: number;
  rejects: number;
  left_out: number;
  coverage: Coverage[];
  licence: string;
  attribution: string;
  cadence: string;
  cadence_days: number | null;
  /** UTC, ISO 8601. */
  loaded_at: string;
}

type Loaded = Pick<
  CatalogueEntry,
  'dataset' | 'adapter' | 'release' | 'crs' | 'parts' | 'records' | 'rejects' | 'left_out' | 'loaded_at'
>;

const LOADED = `
  SELECT l.dataset, min(l.adapter) AS adapter, min(l.release) AS release, min(l.crs->>'applied') AS crs,
    array_agg(DISTINCT l.part ORDER BY l.part) AS parts,
    COALESCE(sum(a.records), 0)::float8 AS records, COALESCE(sum(a.rejects), 0)::float8 AS rejects,
    COALESCE(sum(a.left_out), 0)::float8 AS left_out,
    to_char(max(l.loaded_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS loaded_at
  FROM control.load l LEFT JOIN LATERAL (
    SELECT sum((e->>'records')::float8) FILTER (WHERE e->>'table' IS NOT NULL) AS records, sum((e->>'rejects')::float8) AS rejects,
      sum((SELECT COALESCE(sum(d.value::float8), 0) FROM jsonb_each_text(e->'drops') d)) FILTER (WHERE e->>'table' IS NOT NULL) AS left_out
    FROM jsonb_array_elements(l.accounts) e) a ON true
  WHERE l.state = 'active' GROUP BY l.dataset ORDER BY l.dataset`;

const COVERED = `
  SELECT dataset, theme, state, array_agg(DISTINCT area ORDER BY area) AS areas
  FROM record.coverage_area GROUP BY dataset, theme, state ORDER BY dataset, theme, state`;

/** Returns every loaded dataset, by name. If this program lacks its adapter, the title says so. */
export async function loadedSources(client: pg.ClientBase, config: Config): Promise<CatalogueEntry[]> {
  const loaded = await client.query<Loaded>(LOADED);
  const covered = await client.query<Coverage & { dataset: string }>(COVERED);
  return loaded.rows.map((row) => {
    const adapter = ADAPTERS.find((each) => each.name === row.adapter);
    const settings = config.datasets[row.dataset];
    const cadence = cadenceOf(row.adapter);
    return {
      ...row,
      crs: row.crs ?? '',
      title: adapter?.title ?? row.adapter,
      publisher: adapter?.publisher ?? 'not known',
      release_date: releaseDate(row.release),
      coverage: covered.rows
        .filter((each) => each.dataset === row.dataset)
        .map(({ theme, state, areas }) => ({ theme, state, areas })),
      licence: settings?.licence ?? adapter?.licence ?? 'not known',
      attribution: settings?.attribution ?? adapter?.attribution ?? 'not known',
      cadence: cadence.text,
      // Generated data have no later release.
      cadence_days: settings?.cadence_days ?? (settings?.licence === 'generated' ? null : cadence.days),
    };
  });
}

const COLUMNS: readonly (keyof CatalogueEntry)[] = [
  'dataset',
  'adapter',
  'title',
  'publisher',
  'release',
  'release_date',
  'crs',
  'parts',
  'records',
  'rejects',
  'left_out',
  'coverage',
  'licence',
  'attribution',
  'cadence',
  'cadence_days',
  'loaded_at',
];

/** Writes the catalogue of loaded datasets in the transaction of a publication. */
export async function writeCatalogue(client: pg.ClientBase, config: Config): Promise<void> {
  await client.query('DELETE FROM control.dataset_catalogue');
  for (const source of await loadedSources(client, config)) {
    const values = COLUMNS.map((name) => (name === 'coverage' ? jsonText(source.coverage) : source[name]));
    await client.query(
      `INSERT INTO control.dataset_catalogue (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((_, i) => `$${i + 1}`).join(', ')})`,
      values,
    );
  }
}
