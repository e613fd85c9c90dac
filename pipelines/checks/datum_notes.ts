import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { assumedDatum } from '../../sources/formats/vector/settle_crs.ts';
import { crsOfNumber } from '../../transforms/geo/crs_table.ts';

/** Returns whether one of the systems of a dataset, such as `EPSG:4283, EPSG:28355`, is on GDA94. */
const isGda94 = (applied: string): boolean =>
  applied.split(', ').some((id) => crsOfNumber(Number(id.replace('EPSG:', '')))?.datum === 'GDA94');

/** Returns a sentence that names the loaded datasets on GDA94, whose local distortion stays without a grid. */
export async function distortionNotes(client: pg.ClientBase, { datum_grid }: Config): Promise<string[]> {
  if (datum_grid !== null) return [];
  const { rows } = await client.query<{ dataset: string; applied: string }>(
    `SELECT DISTINCT dataset, crs->>'applied' AS applied FROM control.load WHERE state = 'active' ORDER BY 1, 2`,
  );
  const names = [...new Set(rows.filter(({ applied }) => isGda94(applied)).map(({ dataset }) => dataset))];
  if (names.length === 0) return [];
  return [
    `${names.join(', ')}: GDA94 is moved to GDA2020 by the national seven parameters, which leaves local distortion of up to 0.3 m in places. To remove it, set datum_grid to the grid of the ICSM.`,
  ];
}

/** Returns a sentence for each loaded dataset whose files name no Australian datum. */
export async function datumNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ dataset: string; stated: string }>(
    `SELECT dataset, min(crs->>'stated') AS stated FROM control.load
     WHERE state = 'active' AND (crs->>'datum_assumed')::bool GROUP BY dataset ORDER BY dataset`,
  );
  return rows.map(({ dataset, stated }) => `${dataset}: ${assumedDatum(stated)}`);
}
