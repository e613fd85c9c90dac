import { expect, it } from 'vitest';
import { servePropertyStage } from '../../../../pipelines/stages/addresses/serve_property.ts';

/** A row of asset.address_home as it comes from the server: with the cell of its point, which no stage has asked for. */
const ADDRESS: Readonly<Record<string, unknown>> = {
  gnaf_pid: 'P1',
  home: 7,
  cell: 5,
  state: 'VIC',
  sal_name: 'Abbotsford (Vic.)',
  label: '1 A STREET ABBOTSFORD VIC 3067',
  is_unit: false,
  parcel_id: null,
  parcel_area_sqm: null,
  building_name: null,
  flat_type: null,
  flat_number: null,
  primary_secondary: null,
  number_first: '1',
  lot_number: null,
};

it('is in its home, though the point of its address is in another cell', () => {
  const rows: Record<string, unknown>[] = [];
  const { compute } = servePropertyStage;
  if (typeof compute !== 'function') throw new Error('it is a statement');
  const given = { address: [ADDRESS], zoning: [], on_parcel: [], form: [], cadastre: [] };
  const context = { cell: 7, emit: (row: Record<string, unknown>) => rows.push({ ...row }) };
  compute(given as never, context as never);
  expect(rows).toMatchObject([{ gnaf_pid: 'P1', cell: 7, sal: 'Abbotsford (Vic.)' }]);
});
