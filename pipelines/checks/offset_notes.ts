import type pg from 'pg';
import { qualified } from '../../schema/ddl.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import type { Table } from '../../schema/table.ts';
import { recogniseCrs } from '../../transforms/geo/crs.ts';
import { gda94ToGda2020 } from '../../transforms/geo/datum.ts';
import { type EdgeOffset, edgeOffset, type OffsetComparison } from '../../transforms/geo/edge_offset.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../transforms/geo/plane.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';

/** Layers whose edges usually follow parcel edges. */
const LAYERS: readonly Table[] = [zonePieceRecord, overlayPieceRecord];

/** Maximum cells in which two datasets are compared: those with the lowest hash, so the sample stays the same. */
const CELLS = 40;
/** Parcels after which no more cells are read; a dense cell has thousands of edges. */
const ENOUGH_PARCELS = 20_000;
/** Minimum edges for a result, minimum share of them that one offset explains, and minimum ratio to the edges that match without one. */
const LEAST_EDGES = 60;
const SHARE = 0.5;
const MORE = 2;
/** Offsets below this, metres, are ordinary survey and drafting error. */
const LEAST_MOVE = 0.3;
/** Maximum difference, metres, between an offset and the shift between datums to count as that shift. */
const SAME_MOVE = 0.3;

/** Two datasets with common cells. */
interface DatasetPair {
  cadastre: string;
  other: string;
  cells: number[];
}

/** CRS used to read the files of a dataset. */
interface AppliedCrs {
  dataset: string;
  applied: string;
  assumed: boolean | null;
}

const activeOf = (table: Table): string =>
  `SELECT DISTINCT l.dataset, r.cell FROM ${qualified(table)} r JOIN control.load l USING (load_id) WHERE l.state = 'active'`;

async function pairsOf(client: pg.ClientBase, layer: Table): Promise<DatasetPair[]> {
  const { rows } = await client.query<DatasetPair>(
    `SELECT p.dataset AS cadastre, o.dataset AS other, (array_agg(cell ORDER BY md5(cell::text), cell))[1:${CELLS}] AS cells
     FROM (${activeOf(parcelRecord)}) p JOIN (${activeOf(layer)}) o USING (cell) GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  return rows;
}

async function shapesIn(
  client: pg.ClientBase,
  table: Table,
  dataset: string,
  cell: number,
): Promise<MultiPolygon[]> {
  const { rows } = await client.query<{ geom: Buffer }>(
    `SELECT geom FROM ${qualified(table)} WHERE cell = $1 AND geom IS NOT NULL
       AND load_id IN (SELECT load_id FROM control.load WHERE state = 'active' AND dataset = $2)`,
    [cell, dataset],
  );
  return rows.map(({ geom }) => decodeWkb(geom));
}

/** Returns the shift from GDA94 to GDA2020 at a location, in metres east and north. */
function betweenDatums([lon, lat]: readonly [number, number]): readonly [number, number] {
  const moved = Float64Array.of(lon, lat);
  gda94ToGda2020(moved);
  return [(moved[0]! - lon) * metresPerDegreeLon(lat), (moved[1]! - lat) * metresPerDegreeLat(lat)];
}

/** Returns settings that would align two datasets one datum shift apart. `sign` 1: the other dataset must move from GDA94 to GDA2020. */
function remedies(cadastre: AppliedCrs, other: AppliedCrs, sign: 1 | -1): string[] {
  const [late, early] = sign === 1 ? [other, cadastre] : [cadastre, other];
  const isGda94 = ({ applied }: AppliedCrs): boolean => recogniseCrs(applied, applied).datum === 'GDA94';
  const isLate = !isGda94(late);
  // An assumed datum is more likely wrong than a stated one.
  const isEarly = isGda94(early) && !(isLate && late.assumed === true);
  return [
    ...(isLate ? [`${late.dataset} is GDA94 but was read as GDA2020: set its crs to EPSG:4283`] : []),
    ...(isEarly ? [`${early.dataset} is GDA2020 but was read as GDA94: set its crs to EPSG:7844`] : []),
  ];
}

/** Returns the note on two datasets with an offset. */
function sentence(
  cadastre: AppliedCrs,
  other: AppliedCrs,
  offset: EdgeOffset,
  at: readonly [number, number],
): string {
  const { east, north, edges, moved, unmoved } = offset;
  const direction = `${Math.abs(east).toFixed(2)} m ${east < 0 ? 'west' : 'east'} and ${Math.abs(north).toFixed(2)} m ${north < 0 ? 'south' : 'north'}`;
  const evidence =
    `${other.dataset} and ${cadastre.dataset} seem to be ${Math.hypot(east, north).toFixed(2)} m apart: of ${edges} parallel edges ` +
    `${moved} coincide when ${other.dataset} is moved ${direction}, ${unmoved} without a move.`;
  const [dx, dy] = betweenDatums(at);
  const sign = ([1, -1] as const).find((s) => Math.hypot(east - s * dx, north - s * dy) <= SAME_MOVE);
  const possible = sign === undefined ? [] : remedies(cadastre, other, sign);
  if (possible.length === 0)
    return `${evidence} One of them is displaced; both are used unchanged. If you know its original CRS, set crs of the dataset.`;
  return `${evidence} That is the shift between GDA94 and GDA2020. Probably ${possible.join(', or ')} (or to the MGA zone of its coordinates).`;
}

const isApart = ({ edges, moved, unmoved, east, north }: EdgeOffset): boolean =>
  edges >= LEAST_EDGES &&
  moved >= edges * SHARE &&
  moved >= unmoved * MORE &&
  Math.hypot(east, north) >= LEAST_MOVE;

/**
 * Returns a sentence for each zoning or overlay dataset with a constant offset from parcel edges: one of the two was read with the wrong
 * datum.
 */
export async function offsetNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows: taken } = await client.query<AppliedCrs>(
    `SELECT dataset, min(crs->>'applied') AS applied, bool_or((crs->>'datum_assumed')::bool) AS assumed
     FROM control.load WHERE state = 'active' GROUP BY dataset`,
  );
  const takenOf = (name: string): AppliedCrs => taken.find(({ dataset }) => dataset === name)!;
  const notes: string[] = [];
  for (const layer of LAYERS) {
    for (const { cadastre, other, cells } of await pairsOf(client, layer)) {
      const places: OffsetComparison[] = [];
      let parcels = 0;
      for (const cell of cells) {
        const reference = await shapesIn(client, parcelRecord, cadastre, cell);
        places.push({ reference, shapes: await shapesIn(client, layer, other, cell) });
        parcels += reference.length;
        if (parcels >= ENOUGH_PARCELS) break;
      }
      const offset = edgeOffset(places);
      if (offset === null || !isApart(offset)) continue;
      const [lon, lat] = places.find(({ reference }) => reference.length > 0)!.reference[0]!.coords;
      notes.push(sentence(takenOf(cadastre), takenOf(other), offset, [lon!, lat!]));
    }
  }
  return notes;
}
