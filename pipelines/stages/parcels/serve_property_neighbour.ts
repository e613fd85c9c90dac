import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { propertyNeighbourTable } from '../../../schema/serving/property_neighbour.ts';
import type { Row } from '../../../schema/table.ts';
import {
  type NeighbourParams,
  type ParcelPairs,
  parcelPairs,
} from '../../../transforms/property/neighbours.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { type HomeAddress, homeAddresses } from '../addresses/home_addresses.ts';
import { ADJOINING_M, occupied, SHAPE_COLUMNS, type ShapeRow, shapesOf } from './adjoining.ts';

type PropertyNeighbourRow = Row<typeof propertyNeighbourTable>;

/** Emits the rows of addresses. All rows are the same object, refilled for each. */
class NeighbourRows {
  /** Numbers of addresses with rows, and without: no parcel, or no adjoining one. */
  out = 0;
  none = 0;
  readonly #row: { -readonly [K in keyof PropertyNeighbourRow]: PropertyNeighbourRow[K] };
  readonly #emit: (row: PropertyNeighbourRow) => void;
  readonly #shapes: readonly ShapeRow[];
  readonly #numberOf: Int32Array;
  readonly #pairs: ParcelPairs;

  constructor(
    {
      cell,
      params,
      emit,
    }: { cell: number; params: NeighbourParams; emit: (row: PropertyNeighbourRow) => void },
    addresses: readonly HomeAddress[],
    shapes: readonly ShapeRow[],
  ) {
    const { numberOf, isSubject } = occupied(addresses, shapes);
    this.#row = {
      gnaf_pid: '',
      neighbour_parcel_id: '',
      cell,
      state: '',
      sa2: null,
      sa3: null,
      shared_m: 0,
      is_corner: false,
    };
    this.#emit = emit;
    this.#shapes = shapes;
    this.#numberOf = numberOf;
    this.#pairs = parcelPairs(shapesOf(shapes), isSubject, params);
  }

  /** Emits the rows of the i-th address. */
  add({ gnaf_pid, state, sa2, sa3, parcel_id }: HomeAddress, i: number): void {
    if (parcel_id === null) {
      this.none++;
      return;
    }
    const row = this.#row;
    row.gnaf_pid = gnaf_pid;
    row.state = state;
    row.sa2 = sa2;
    row.sa3 = sa3;
    if (this.#emitPairs(this.#numberOf[i]!) > 0) this.out++;
    else this.none++;
  }

  #emitPairs(parcel: number): number {
    const { starts, b, shared_m, corner } = this.#pairs;
    const end = starts[parcel + 1]!;
    for (let k = starts[parcel]!; k < end; k++)
      this.#emitOne(this.#shapes[b[k]!]!.parcel_id, shared_m[k]!, corner[k] === 1);
    return end - starts[parcel]!;
  }

  #emitOne(neighbour_parcel_id: string, shared_m: number, is_corner: boolean): void {
    const row = this.#row;
    const emit = this.#emit;
    row.neighbour_parcel_id = neighbour_parcel_id;
    row.shared_m = shared_m;
    row.is_corner = is_corner;
    emit(row);
  }
}

export const servePropertyNeighbourStage = stage({
  name: 'serve_property_neighbour',
  version: 6,
  doc: 'Rows of serving.property_neighbour: the parcels that adjoin the parcel of each property.',
  subject: 'address',
  inputs: {
    address: homeAddresses,
    parcel: input(parcelRecord, SHAPE_COLUMNS, {
      kind: 'near',
      halo_m: ADJOINING_M,
      around: addressHomeAsset,
    }),
  },
  output: propertyNeighbourTable,
  params: (config) => config.neighbours,
  compute({ address, parcel }, { cell, params, emit }) {
    const rows = new NeighbourRows({ cell, params, emit }, address, parcel);
    address.forEach(rows.add, rows);
    const drops: Record<string, number> = rows.none > 0 ? { no_neighbour: rows.none } : {};
    return { account: { in: address.length, out: rows.out, drops } };
  },
});
