import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cadastreHomeStage,
  homeOfStage,
  parcelAddressStage,
} from '../../../../pipelines/stages/parcels/home_facts.ts';
import { parcelFormStage } from '../../../../pipelines/stages/parcels/parcel_form.ts';
import { serveParcelShapeStage } from '../../../../pipelines/stages/parcels/serve_parcel_shape.ts';
import { servePropertyNeighbourStage } from '../../../../pipelines/stages/parcels/serve_property_neighbour.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { computed } from '../../computed.ts';
import { statementRows } from '../../statement.ts';
import { CELL, home, parcel } from '../squares.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

describe('the addresses of a home cell', () => {
  const address = [
    { gnaf_pid: 'a', home: 1, parcel_id: 'P', is_unit: true },
    { gnaf_pid: 'b', home: 1, parcel_id: 'P', is_unit: true },
    { gnaf_pid: 'c', home: 1, parcel_id: 'P', is_unit: false },
    { gnaf_pid: 'd', home: 2, parcel_id: null, is_unit: false },
  ];

  it('are counted by parcel, units and others', async () => {
    expect(await statementRows(database, parcelAddressStage, { address })).toEqual([
      { cell: 1, parcel_id: 'P', units: 2, others: 1 },
    ]);
  });

  it('make a cell part of the cadastre if one has a parcel', async () => {
    expect(await statementRows(database, cadastreHomeStage, { address })).toEqual([{ cell: 1 }]);
  });

  it('have a home each', async () => {
    const rows = await statementRows(database, homeOfStage, { address });
    expect(rows.map(({ gnaf_pid, cell }) => `${gnaf_pid} ${cell}`).sort()).toEqual([
      'a 1',
      'b 1',
      'c 1',
      'd 2',
    ]);
  });
});

describe('parcels', () => {
  /** A row of three, one that touches the third at a corner, and one far away. */
  const parcels = [
    parcel('1', 0, 0),
    parcel('2', 1, 0),
    parcel('3', 2, 0),
    parcel('4', 3, 1),
    parcel('5', 8, 8),
  ];

  it('are served unchanged', async () => {
    const geom = '\\x01';
    const [row] = await statementRows(database, serveParcelShapeStage, {
      parcel: [{ parcel_id: '1', cell: 7, geom }],
    });
    expect(row).toMatchObject({ parcel_id: '1', cell: 7, geom });
  });

  it('adjoin those of properties along a boundary or at a corner', () => {
    const address = [
      home('middle', '2', null),
      home('end', '3', null),
      home('far', '5', null),
      home('none', null, [0, 0]),
    ];
    const { rows, account } = computed(servePropertyNeighbourStage, { address, parcel: parcels }, CELL);
    expect(rows.map((row) => [row.gnaf_pid, row.neighbour_parcel_id, row.is_corner])).toEqual([
      ['middle', '1', false],
      ['middle', '3', false],
      ['end', '2', false],
      ['end', '4', true],
    ]);
    for (const { shared_m, is_corner } of rows) expect(shared_m).toBeCloseTo(is_corner ? 0 : 111, 0);
    expect(rows[0]).toMatchObject({ cell: CELL, state: 'VIC', sa2: '2', sa3: '20' });
    expect(account).toEqual({ in: 4, out: 2, drops: { no_neighbour: 2 } });
  });

  it('have a width, an open boundary without the shared one, and a twin of the same shape', () => {
    const shape = [...parcels, parcel('6', 8, 8)];
    const { rows, account } = computed(parcelFormStage, { parcel: shape, shape }, CELL);
    expect(account).toEqual({ in: 6, out: 6, drops: {} });
    const formOf = (id: string) => rows.find(({ parcel_id }) => parcel_id === id)!;
    expect(formOf('1').width_m).toBeCloseTo(88, 0);
    const perimeter = 2 * (88 + 111);
    expect(Math.abs(Number(formOf('1').frontage_m) - (perimeter - 111))).toBeLessThan(1);
    expect(Math.abs(Number(formOf('2').frontage_m) - (perimeter - 222))).toBeLessThan(1);
    expect(rows.filter(({ coincides }) => coincides).map(({ parcel_id }) => parcel_id)).toEqual(['5', '6']);
    expect(formOf('1').compactness).toBeCloseTo((4 * Math.PI * 9779) / perimeter ** 2, 2);
  });
});
