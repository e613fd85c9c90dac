import { describe, expect, it } from 'vitest';
import { input } from '../../../pipelines/engine/input.ts';
import { type PlannedPartition, planStage } from '../../../pipelines/engine/plan.ts';
import type {
  CellDigest,
  KeyChange,
  PlanView,
  RecordedPartition,
} from '../../../pipelines/engine/plan_view.ts';
import { stage } from '../../../pipelines/engine/stage.ts';
import { addressHomeAsset, parcelFormAsset } from '../../../schema/assets/property.ts';
import { type Bbox, cellBbox, cellOf, expandBbox } from '../../../schema/grid.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyNeighbourTable } from '../../../schema/serving/property_neighbour.ts';

const CELL = cellOf(144.96, -37.81);
const [west, south, , north] = cellBbox(CELL);
/** The cell in the west, from where parcels reach over. */
const WEST = cellOf(west - 0.001, south + 0.001);
/** Boxes of parcels in the cell, far from one another. */
const HERE: Bbox = [west + 0.001, south + 0.001, west + 0.0012, south + 0.0012];
const THERE: Bbox = [west + 0.03, north - 0.001, west + 0.0302, north - 0.0008];

/** A row of a property depends on parcels within 10 m of it, and on the form of the parcel that it names. */
const reading = stage({
  name: 'reads',
  version: 1,
  doc: 'Test.',
  subject: 'property',
  inputs: {
    property: input(propertyTable, ['gnaf_pid', 'parcel_id']),
    parcel: input(parcelRecord, ['parcel_id'], { kind: 'near', halo_m: 10 }),
    form: input(parcelFormAsset, ['parcel_id']),
  },
  output: propertyNeighbourTable,
  compute: ({ property }) => ({ account: { in: property.length, out: property.length, drops: {} } }),
});

const change = (id: number, run: number, delta: bigint, boxes: readonly Bbox[] | null): KeyChange => ({
  id,
  run,
  delta: String(delta),
  keys: 1,
  boxes,
});

interface Content {
  parcel: bigint;
  spill?: bigint;
  form?: bigint;
  rows?: number;
  /** The box around what the homes of the cell are about. */
  about?: Bbox;
}

/** Books with these digests of the cell, and what is written down of them. */
function view(
  { parcel, spill, form = 1n, rows = 100, about }: Content,
  changes: Readonly<Record<string, readonly [cell: number, KeyChange][]>> = {},
  recorded?: PlannedPartition,
): PlanView {
  const at = (digest: bigint, extent: Bbox | null): ReadonlyMap<number, CellDigest> =>
    new Map([[CELL, { rows, digest: String(digest), extent }]]);
  const tables: Record<string, ReadonlyMap<number, CellDigest>> = {
    'serving.property': at(1n, null),
    'asset.parcel_form': at(form, null),
    parcel: at(parcel, cellBbox(CELL)),
    parcel_spill: spill === undefined ? new Map() : at(spill, null),
  };
  const known = recorded && {
    fingerprint: recorded.fingerprint,
    output_digest: '1',
    rows,
    refs: [],
    extent: null,
    staged: true,
    run_id: 1,
  };
  return {
    cells: (table) => tables[table] ?? new Map(),
    homes: () => (about === undefined ? new Map() : at(1n, about)),
    homesOf: () => new Map(),
    recorded: () => new Map<number, RecordedPartition>(known ? [[CELL, known]] : []),
    madeIn: () => new Map(),
    published: () => new Map(),
    keyChanges: (table) => {
      const cells = new Map<number, KeyChange[]>();
      for (const [cell, each] of changes[table] ?? []) cells.set(cell, [...(cells.get(cell) ?? []), each]);
      return cells;
    },
  };
}

/** The plan of the cell with `now`, where it was computed with `before`. */
function planned(
  before: Content,
  now: Content,
  changes: Parameters<typeof view>[1],
  by = reading,
): PlannedPartition {
  const [first] = planStage(by, {}, view(before)).partitions;
  return planStage(by, {}, view(now, changes, first)).partitions[0]!;
}

const around = (box: Bbox): Bbox => expandBbox(box, 10);

/** The same, where a row may depend on all that its partition sees. */
const readingAll = { ...reading, by: 'cell' as const };

describe('the keys that a change affects', () => {
  it('are those around the changed boxes of all runs since', () => {
    const { changes, rows, reason } = planned(
      { parcel: 5n },
      { parcel: 12n },
      {
        parcel: [
          [CELL, change(3, 9, 4n, [HERE])],
          [CELL, change(2, 8, 3n, [THERE])],
          [CELL, change(1, 7, 1n, [HERE, THERE])],
        ],
      },
    );
    expect(reason).toBe('changed: parcel, by key');
    expect(changes).toEqual({
      own: [],
      named: {},
      boxes: [around(HERE), around(THERE)],
      listed: 0,
    });
    expect(rows).toBe(2);
  });

  it('are those around features of other cells that reach into the cells read', () => {
    const reaching: Bbox = [west - 0.001, south + 0.001, west + 0.001, south + 0.002];
    const { changes } = planned(
      { parcel: 5n, spill: 4n },
      { parcel: 5n, spill: 7n },
      {
        parcel: [[WEST, change(1, 9, 99n, [reaching])]],
        parcel_spill: [[CELL, change(2, 9, 3n, [reaching])]],
      },
    );
    expect(changes).toBeNull();
    const told = planned(
      { parcel: 5n, spill: 4n },
      { parcel: 5n, spill: 7n },
      {
        parcel_spill: [[CELL, change(2, 9, 3n, [reaching])]],
      },
    );
    expect(told.changes?.boxes).toEqual([around(reaching)]);
  });

  it('are those that refer to a changed value', () => {
    const { changes } = planned(
      { parcel: 5n, form: 1n },
      { parcel: 5n, form: 3n },
      {
        'asset.parcel_form': [[CELL, change(4, 9, 2n, null)]],
      },
    );
    expect(changes).toEqual({
      own: [],
      named: { parcel_id: [4] },
      boxes: [],
      listed: 1,
    });
  });

  it('are those that name a value of a changed row near the cell, if the input declares that', () => {
    const parcel = input(parcelRecord, ['parcel_id'], { kind: 'near', halo_m: 1000, named: 'lot_plan' });
    const { changes, rows } = planned(
      { parcel: 5n },
      { parcel: 9n },
      { parcel: [[CELL, change(1, 9, 4n, [HERE])]] },
      { ...reading, inputs: { ...reading.inputs, parcel } },
    );
    expect(changes).toEqual({ own: [], named: { lot_plan: [1] }, boxes: [], listed: 1 });
    expect(rows).toBe(1);
  });

  it('exclude others if a home moves within its neighbouring cell, and are all if it moves farther', () => {
    const parcel = input(parcelRecord, ['parcel_id'], { kind: 'near', halo_m: 10, around: addressHomeAsset });
    const of = { ...reading, inputs: { ...reading.inputs, parcel } };
    const [near, far, farther] = [0.001, 0.04, 0.06].map((out): Bbox => [west - out, south, west, north]);
    const log: Parameters<typeof view>[1] = { parcel: [[CELL, change(1, 9, 4n, [HERE])]] };
    const plan = planned({ parcel: 5n, about: near }, { parcel: 9n, about: far }, log, of);
    expect(plan.changes?.boxes).toEqual([around(HERE)]);
    expect(planned({ parcel: 5n, about: near }, { parcel: 9n, about: farther }, log, of).changes).toBeNull();
    // What the log does not tell of is still all.
    expect(planned({ parcel: 5n, about: near }, { parcel: 10n, about: far }, log, of).changes).toBeNull();
  });

  it('are counted as at most the rows of the cell', () => {
    const log: Parameters<typeof view>[1] = { parcel: [[CELL, change(1, 9, 4n, [cellBbox(CELL)])]] };
    const { changes, rows } = planned({ parcel: 5n }, { parcel: 9n }, log);
    expect(changes?.boxes).toEqual([around(cellBbox(CELL))]);
    expect(rows).toBe(100);
  });

  it('are all if a row depends on more than its surroundings', () => {
    const plan = planned(
      { parcel: 5n },
      { parcel: 9n },
      { parcel: [[CELL, change(1, 9, 4n, [HERE])]] },
      readingAll,
    );
    expect(plan).toMatchObject({ changes: null, rows: 100, reason: 'changed: parcel' });
  });

  it.each<[string, Content, Parameters<typeof view>[1]]>([
    ['a change is not written down', { parcel: 12n }, { parcel: [[CELL, change(1, 9, 4n, [HERE])]] }],
    ['nothing is', { parcel: 12n }, {}],
    ['its place is not', { parcel: 9n }, { parcel: [[CELL, change(1, 9, 4n, null)]] }],
    [
      'another input changed besides, and nothing says how',
      { parcel: 9n, form: 2n },
      { parcel: [[CELL, change(1, 9, 4n, [HERE])]] },
    ],
  ])('are all where %s', (_, now, changes) => {
    const plan = planned({ parcel: 5n }, now, changes);
    expect(plan.changes).toBeNull();
    expect(plan.rows).toBe(100);
  });
});
