import type pg from 'pg';
import { withoutNestloop } from '../../store/state/without_nestloop.ts';
import { inTransaction } from '../../store/transaction.ts';

/** Maximum grid cells sampled: those with the lowest hash, so the sample stays the same. */
const CELLS = 300;
/** Minimum addresses of a dataset for a note. */
const LEAST = 20;
/** Minimum share of addresses that find their parcel by legal identifier. In Queensland 86 % do; the others name superseded plans. */
const SHARE = 0.5;
const EXAMPLES = 5;

/** How addresses on parcels of a cadastre found them. Units are excluded, because most of their lots are not in it. */
interface ParcelIdMatchStats {
  dataset: string;
  /** Addresses with a legal parcel identifier, on a parcel with a lot on plan. */
  addresses: number;
  /** Addresses among them that found their parcel by that identifier. */
  by_id: number;
  /** Examples of the others: legal identifiers of addresses, and lots on plan of their parcels, both normalised. */
  said: string[] | null;
  stands: string[] | null;
}

/** Returns a sample of address cells, computed by a run or any, and the cells of those addresses' parcels. */
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

async function readMatchStats(client: pg.ClientBase, runId: number | null): Promise<ParcelIdMatchStats[]> {
  const cells = await cellsOf(client, runId);
  return inTransaction(client, async () => {
    // Records are indexed by cell only: a nested loop would read a cell once for each address.
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
    return rows;
  });
}

/**
 * Returns a sentence for each cadastre in which too few addresses find their parcel by legal parcel identifier. Position alone may select a
 * neighbour's parcel. `runId`: addresses computed by this run; null: all.
 */
export async function legalIdNotes(client: pg.ClientBase, runId: number | null): Promise<string[]> {
  return (await readMatchStats(client, runId))
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
