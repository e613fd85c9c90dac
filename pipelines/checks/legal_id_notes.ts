import type pg from 'pg';
import { withoutNestloop } from '../../store/state/without_nestloop.ts';

/** Grid cells whose addresses are looked at: those with the lowest hash, so that it is the same ones each time. */
const CELLS = 300;
/** Fewest addresses of a dataset by which it is judged. */
const LEAST = 20;
/** Share of the addresses that should find their parcel by its legal identifier; superseded plans leave 86 % in Queensland. */
const SHARE = 0.5;
const EXAMPLES = 5;

/** How the addresses on the parcels of a cadastre found them; units are left out, whose lots mostly are not in it. */
interface ParcelIdMatchStats {
  dataset: string;
  /** With a legal parcel identifier, on a parcel with a lot on plan. */
  addresses: number;
  /** Of those, by that identifier. */
  by_id: number;
  /** Identifiers of the others, and the lots on plan of the parcels that they lie on, both normalised. */
  said: string[] | null;
  stands: string[] | null;
}

/** Cells of addresses, those that a run computed or all; and the cells that the parcels lie in which the addresses are on. */
async function cellsOf(client: pg.ClientBase, runId: number | null): Promise<[number[], number[]]> {
  const { rows } = await client.query<{ cells: number[] }>(
    `SELECT COALESCE(array_agg(cell), '{}') AS cells FROM (
       SELECT cell FROM control.partition WHERE stage = 'address_home' AND ($1::int IS NULL OR run_id = $1)
       ORDER BY md5(cell::text), cell LIMIT ${CELLS}) looked`,
    [runId],
  );
  const { cells } = rows[0]!;
  const homes = await client.query<{ home: number }>(
    'SELECT DISTINCT home FROM asset.address_home WHERE cell = ANY ($1) AND parcel_id IS NOT NULL',
    [cells],
  );
  return [cells, homes.rows.map(({ home }) => home)];
}

async function joined(client: pg.ClientBase, runId: number | null): Promise<ParcelIdMatchStats[]> {
  const cells = await cellsOf(client, runId);
  await client.query('BEGIN');
  try {
    // The records have an index on their cell alone: to look for each address in it would read a cell as often as it has addresses.
    const { rows } = await withoutNestloop(client, () =>
      client.query<ParcelIdMatchStats>(
        `WITH pairs AS (
         SELECT l.dataset, h.gnaf_pid, h.parcel_method = 'legal_id' AS by_id, a.lot_plan AS said, p.lot_plan AS stands
         FROM asset.address_home h JOIN record.address a USING (gnaf_pid) JOIN record.parcel p USING (parcel_id)
           JOIN control.load l ON l.load_id = p.load_id
         WHERE h.cell = ANY ($1) AND a.cell = ANY ($1) AND p.cell = ANY ($2) AND NOT h.is_unit
           AND a.lot_plan IS NOT NULL AND p.lot_plan IS NOT NULL)
       SELECT dataset, count(*)::int AS addresses, count(*) FILTER (WHERE by_id)::int AS by_id,
         (array_agg(said ORDER BY gnaf_pid) FILTER (WHERE NOT by_id))[1:${EXAMPLES}] AS said,
         (array_agg(stands ORDER BY gnaf_pid) FILTER (WHERE NOT by_id))[1:${EXAMPLES}] AS stands
       FROM pairs GROUP BY dataset ORDER BY dataset`,
        cells,
      ),
    );
    await client.query('COMMIT');
    return rows;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * A sentence for each cadastre where few addresses or none find their parcel by legal parcel identifier. Position alone may give
 * them a neighbour's parcel. `runId`: look at the addresses of this run; null: at all of them.
 */
export async function legalIdNotes(client: pg.ClientBase, runId: number | null): Promise<string[]> {
  return (await joined(client, runId))
    .filter(({ addresses, by_id }) => addresses >= LEAST && by_id < addresses * SHARE)
    .map(({ dataset, addresses, by_id, said, stands }) => {
      const few = by_id === 0 ? 'None' : `Only ${by_id}`;
      return (
        `${dataset}: legal parcel ids do not match. ${few} of ${addresses} addresses that are not units found their parcel by id, the others by position. ` +
        `The addresses have ${said!.join(', ')}; the parcels there have ${stands!.join(', ')}. ` +
        'If these are the same ids in another format, add patterns to lot_plan of the field map (docs/field_maps.md).'
      );
    });
}
