import type pg from 'pg';

/** Addresses that are looked at, about; those of a hash of their key, so that it is the same ones each time. */
const SAMPLE = 100_000;
/** Fewest addresses of a dataset by which it is judged. */
const LEAST = 20;
/** Share of the addresses that should find their parcel by its legal identifier; superseded plans leave 86 % in Queensland. */
const SHARE = 0.5;
const EXAMPLES = 5;

/** How the addresses on the parcels of a cadastre found them; units are left out, whose lots mostly are not in it. */
interface Joined {
  dataset: string;
  /** With a legal parcel identifier, on a parcel with a lot on plan. */
  addresses: number;
  /** Of those, by that identifier. */
  by_id: number;
  /** Identifiers of the others, and the lots on plan of the parcels that they lie on, both normalised. */
  said: string[] | null;
  stands: string[] | null;
}

async function joined(client: pg.ClientBase): Promise<Joined[]> {
  const { rows: sizes } = await client.query<{ rows: number }>(
    `SELECT COALESCE(sum(rows), 0)::float8 AS rows FROM control.partition WHERE stage = 'address_home'`,
  );
  const step = Math.max(1, Math.floor(sizes[0]!.rows / SAMPLE));
  const { rows } = await client.query<Joined>(
    `WITH on_parcel AS MATERIALIZED (
       SELECT gnaf_pid, parcel_id, parcel_method FROM asset.address_home
       WHERE parcel_id IS NOT NULL AND NOT is_unit AND mod(abs(hashtext(gnaf_pid)::int8), $1) = 0),
     pairs AS (
       SELECT l.dataset, h.gnaf_pid, h.parcel_method = 'legal_id' AS by_id, a.lot_plan AS said, p.lot_plan AS stands
       FROM on_parcel h JOIN record.address a USING (gnaf_pid) JOIN record.parcel p USING (parcel_id)
         JOIN control.load l ON l.load_id = p.load_id
       WHERE a.lot_plan IS NOT NULL AND p.lot_plan IS NOT NULL)
     SELECT dataset, count(*)::int AS addresses, count(*) FILTER (WHERE by_id)::int AS by_id,
       (array_agg(said ORDER BY gnaf_pid) FILTER (WHERE NOT by_id))[1:${EXAMPLES}] AS said,
       (array_agg(stands ORDER BY gnaf_pid) FILTER (WHERE NOT by_id))[1:${EXAMPLES}] AS stands
     FROM pairs GROUP BY dataset ORDER BY dataset`,
    [step],
  );
  return rows;
}

/**
 * A sentence for each cadastre that no or few of its addresses find by their legal parcel identifier: they lie on a parcel by position alone,
 * which may be that of another unit.
 */
export async function legalIdNotes(client: pg.ClientBase): Promise<string[]> {
  return (await joined(client))
    .filter(({ addresses, by_id }) => addresses >= LEAST && by_id < addresses * SHARE)
    .map(({ dataset, addresses, by_id, said, stands }) => {
      const few = by_id === 0 ? 'None' : `Only ${by_id}`;
      return (
        `${dataset}: legal ids do not join. ${few} of ${addresses} addresses that are no units found their parcel by their legal parcel id, the others by position. ` +
        `The addresses say ${said!.join(', ')}; the parcels there are ${stands!.join(', ')}. ` +
        'Where it is the same text in another form, give lot_plan of the field map patterns (docs/field_maps.md).'
      );
    });
}
