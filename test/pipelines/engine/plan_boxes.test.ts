import { describe, expect, it } from 'vitest';
import { input, type Scope } from '../../../pipelines/engine/input.ts';
import { planStage } from '../../../pipelines/engine/plan.ts';
import type { CellDigest, PlanView } from '../../../pipelines/engine/plan_view.ts';
import { type Slice, sliceOf } from '../../../pipelines/engine/slice.ts';
import { type Stage, stage } from '../../../pipelines/engine/stage.ts';
import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { recentSaleAsset } from '../../../schema/assets/valuation.ts';
import { type Bbox, cellBbox, cellOf, expandBbox, NO_CELL } from '../../../schema/grid.ts';
import { hazardPieceRecord } from '../../../schema/records/hazard.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';

const CELL = cellOf(144.96, -37.81);
const [west, south, east, north] = cellBbox(CELL);
/** Lies west of the cell. */
const BEYOND: Bbox = [west - 0.03, south + 0.001, west - 0.01, south + 0.002];

/** Books in which the addresses of the cell are about the box `told`, and the hazards have this digest. */
const view = (digest: string, told: Bbox | null): PlanView => {
  const homes = new Map<number, CellDigest>([
    [CELL, { rows: 1, digest: '1', extent: told }],
    [NO_CELL, { rows: 1, digest: '1', extent: null }],
  ]);
  const tables: Record<string, Map<number, CellDigest>> = {
    hazard_piece: new Map([[CELL, { rows: 1, digest, extent: cellBbox(CELL) }]]),
  };
  return {
    cells: (table) => tables[table] ?? new Map(),
    homes: (table) => (table === 'asset.address_home' ? homes : new Map()),
    homesOf: () => new Map(),
    recorded: () => new Map(),
    madeIn: () => new Map(),
    published: () => new Map(),
    keyChanges: () => new Map(),
  };
};

const reading = (scope: Scope<never>): Stage =>
  stage({
    name: 'reads',
    version: 1,
    doc: 'Test.',
    subject: 'parcel',
    inputs: {
      parcel: input(addressHomeAsset, ['gnaf_pid']),
      hazard: input(hazardPieceRecord, ['cell'], scope),
    },
    output: propertyRiskTable,
    compute: ({ parcel }) => ({ account: { in: parcel.length, out: parcel.length, drops: {} } }),
  });

const selected = (scope: Scope<never>, of: PlanView, cell = CELL): Slice =>
  planStage(reading(scope), {}, of).partitions.find((partition) => partition.cell === cell)!.slices.hazard!;

describe('the box that an input is read in', () => {
  const near = { kind: 'near', halo_m: 1000 } as const;
  const around = { ...near, around: addressHomeAsset } as const;

  it('lies around the cell', () => {
    const box = expandBbox(cellBbox(CELL), 1000);
    expect(selected(near, view('1', BEYOND))).toMatchObject({ kind: 'box', box });
    expect(selected(around, view('1', null))).toMatchObject({ kind: 'box', box });
  });

  it('covers the places of the rows of a named table, also beyond the cell', () => {
    expect(selected(around, view('1', BEYOND))).toMatchObject({
      kind: 'box',
      box: expandBbox([west - 0.03, south, east, north], 1000),
    });
  });

  it('is empty for rows without coordinates', () => {
    expect(selected(around, view('1', BEYOND), NO_CELL)).toEqual({ kind: 'cells', cells: [] });
  });

  it('is absent for rows without coordinates that are found by name', () => {
    const named = { ...near, named: 'lot_plan' } as const;
    expect(selected(named, view('1', null))).toMatchObject({ kind: 'box' });
    expect(selected(named, view('1', null), NO_CELL)).toEqual({ kind: 'named' });
  });

  it('covers all cells whose rows reach near, for a table with rows beyond their cell', () => {
    const sales = new Map<number, CellDigest>([
      [7, { rows: 1, digest: '1', extent: [west, south, west + 0.001, south + 0.001] }],
      [3, { rows: 1, digest: '1', extent: [west - 2, south - 2, west + 2, south + 2] }],
      [5, { rows: 1, digest: '1', extent: [west + 1, south + 1, west + 2, south + 2] }],
      [NO_CELL, { rows: 1, digest: '1', extent: null }],
    ]);
    const of = { ...view('1', null), cells: () => sales };
    const sale = input(recentSaleAsset, ['price'], near);
    const { inputs, ...rest } = reading(near);
    const which = { ...rest, inputs: { ...inputs, hazard: sale } };
    expect(sliceOf(which, 'hazard', CELL, of)).toMatchObject({ kind: 'cells', cells: [3, 7] });
    expect(sliceOf(which, 'hazard', NO_CELL, of)).toEqual({ kind: 'cells', cells: [] });
  });

  it('determines the inputs of the fingerprint', () => {
    const fingerprintOf = (of: PlanView): string =>
      planStage(reading(around), {}, of).partitions.find(({ cell }) => cell === CELL)!.fingerprint.inputs
        .hazard!;
    expect(fingerprintOf(view('1', BEYOND))).toBe(fingerprintOf(view('1', BEYOND)));
    expect(fingerprintOf(view('2', BEYOND))).not.toBe(fingerprintOf(view('1', BEYOND)));
    // In the cells that are looked at, wherever in them the box ends.
    expect(fingerprintOf(view('1', null))).toBe(fingerprintOf(view('1', BEYOND)));
    const farther: Bbox = [west - 0.06, ...(BEYOND.slice(1) as [number, number, number])];
    expect(fingerprintOf(view('1', farther))).not.toBe(fingerprintOf(view('1', BEYOND)));
  });
});
