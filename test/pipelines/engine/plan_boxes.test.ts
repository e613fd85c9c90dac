import { describe, expect, it } from 'vitest';
import { input, type Scope } from '../../../pipelines/engine/input.ts';
import { planStage, type Selection } from '../../../pipelines/engine/plan.ts';
import type { CellDigest, PlanView } from '../../../pipelines/engine/plan_view.ts';
import { type Stage, stage } from '../../../pipelines/engine/stage.ts';
import { addressParcelAsset } from '../../../schema/assets/property.ts';
import { type Bbox, cellBbox, cellOf, expandBbox, NO_CELL } from '../../../schema/grid.ts';
import { hazardPieceRecord } from '../../../schema/records/hazard.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';

const CELL = cellOf(144.96, -37.81);
const [west, south, east, north] = cellBbox(CELL);
/** Reaches out of the cell in the east, and not to its other edges. */
const PARCELS: Bbox = [west + 0.001, south + 0.001, east + 0.02, north - 0.001];

const view = (parcels: Bbox | null, digest: string, told: Bbox | null = null): PlanView => {
  const tables: Record<string, Map<number, CellDigest>> = {
    'asset.address_parcel': new Map([
      [CELL, { rows: 1, digest: '1', extent: told }],
      [NO_CELL, { rows: 1, digest: '1', extent: null }],
    ]),
    parcel: new Map([[CELL, { rows: 1, digest: '1', extent: parcels }]]),
    hazard_piece: new Map([[CELL, { rows: 1, digest, extent: cellBbox(CELL) }]]),
  };
  return {
    cells: (table) => tables[table] ?? new Map(),
    homes: () => new Map(),
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
      parcel: input(addressParcelAsset, ['gnaf_pid']),
      hazard: input(hazardPieceRecord, ['cell'], scope),
    },
    output: propertyRiskTable,
    compute: ({ parcel }) => ({ account: { in: parcel.length, out: parcel.length, drops: {} } }),
  });

const selected = (scope: Scope<never>, of: PlanView, cell = CELL): Selection =>
  planStage(reading(scope), {}, of).partitions.find((partition) => partition.cell === cell)!.selections
    .hazard!;

describe('the box that an input is read in', () => {
  it('lies around the cell and the rows of the named table in it', () => {
    const scope = { kind: 'reach', halo_m: 1000, around: parcelRecord } as const;
    const whole = expandBbox([west, south, east + 0.02, north], 1000);
    expect(selected(scope, view(PARCELS, '1'))).toMatchObject({ kind: 'box', box: whole });
    expect(selected(scope, view(null, '1'))).toMatchObject({
      kind: 'box',
      box: expandBbox(cellBbox(CELL), 1000),
    });
  });

  it('is none for rows without coordinates', () => {
    const scope = { kind: 'reach', halo_m: 1000, around: parcelRecord } as const;
    expect(selected(scope, view(PARCELS, '1'), NO_CELL)).toEqual({ kind: 'cells', cells: [NO_CELL] });
  });

  it('lies around the cell and what the stage of the named table tells, also beyond the cell', () => {
    const scope = { kind: 'reach', halo_m: 1000, around: addressParcelAsset } as const;
    const beyond: Bbox = [west - 0.03, south + 0.001, west - 0.01, south + 0.002];
    const of = view(PARCELS, '1', beyond);
    expect(selected(scope, of)).toMatchObject({
      kind: 'box',
      box: expandBbox([west - 0.03, south, east, north], 1000),
    });
    expect(selected(scope, of, NO_CELL)).toEqual({ kind: 'cells', cells: [NO_CELL] });
  });

  it('is around the subject where no table is named, which has no extent here', () => {
    expect(selected({ kind: 'reach', halo_m: 1000 }, view(PARCELS, '1'))).toEqual({
      kind: 'cells',
      cells: [CELL],
    });
  });

  it('decides what the fingerprint covers', () => {
    const fingerprintOf = (of: PlanView): string =>
      planStage(reading({ kind: 'reach', halo_m: 1000, around: parcelRecord }), {}, of).partitions.find(
        ({ cell }) => cell === CELL,
      )!.fingerprint.inputs.hazard!;
    expect(fingerprintOf(view(PARCELS, '1'))).toBe(fingerprintOf(view(PARCELS, '1')));
    expect(fingerprintOf(view(PARCELS, '2'))).not.toBe(fingerprintOf(view(PARCELS, '1')));
    expect(fingerprintOf(view(null, '1'))).not.toBe(fingerprintOf(view(PARCELS, '1')));
  });
});
