import { describe, expect, it } from 'vitest';
import { hazardPieceRecord } from '../../../schema/records/hazard.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { stopRecord } from '../../../schema/records/stop.ts';
import type { SourceAdapter } from '../../../sources/adapter.ts';
import { cadastreAdapter } from '../../../sources/cadastre/adapter.ts';
import { hazardsAdapter } from '../../../sources/hazards/adapter.ts';
import { stopsAdapter } from '../../../sources/transport/stops/adapter.ts';
import { collection, feature, squareAt } from '../feature_writers.ts';
import { type DatasetResult, readDataset } from '../read_dataset.ts';
import { releaseFolder } from '../release_folder.ts';

async function read(
  adapter: SourceAdapter,
  features: Parameters<typeof collection>[0],
  options: Record<string, unknown>,
): Promise<DatasetResult> {
  const folder = await releaseFolder();
  try {
    await folder.write('layer.geojson', collection(features));
    return await readDataset(adapter, await folder.dataset({ options, crs: 'EPSG:7844' }));
  } finally {
    await folder.remove();
  }
}

const square = (i: number) => squareAt(145 + i / 1000, -37.8, 0.0005);
const point = (i: number) => ({ type: 'Point' as const, coordinates: [145 + i / 1000, -37.8] });

describe('the first filled of several columns of a map', () => {
  it('names a stop', async () => {
    const result = await read(
      stopsAdapter,
      [
        feature({ ID: 'a', OLD_ID: 'x', NAME: 'High St', LABEL: 'no' }, point(0)),
        feature({ ID: null, OLD_ID: 'b', NAME: '', LABEL: 'Low St' }, point(1)),
      ],
      { mode: 'bus', field_map: { stop_id: ['ID', 'OLD_ID'], label: ['NAME', 'LABEL'] } },
    );
    const stops = result
      .rowsOf(stopRecord)
      .map(({ stop_id, label }) => `${stop_id.split(':').at(-1)} ${label}`);
    expect(stops.sort()).toEqual(['a High St', 'b Low St']);
  });

  it('is the code, figure, date and class of a hazard', async () => {
    const row = (i: number, one: string | null, other: string | null, kind: string | null) =>
      feature(
        {
          CODE: one,
          CODE2: other,
          FIG: one,
          FIG2: other,
          DAY: null,
          DAY2: '2011-01-13',
          KIND: kind,
          KIND2: 'take',
        },
        square(i),
      );
    const result = await read(
      hazardsAdapter,
      [row(0, '1', '2', null), row(1, null, '2', 'take'), row(2, '1', '2', 'leave')],
      {
        state: 'VIC',
        layer: 'flood',
        field_map: {
          label: 'Flood',
          code: ['CODE', 'CODE2'],
          detail: { fields: ['FIG', 'FIG2'], unit: 'm' },
          event_date: { fields: ['DAY', 'DAY2'] },
          filters: [{ fields: ['KIND', 'KIND2'], keep: ['take'], other: ['leave'] }],
        },
      },
    );
    const hazards = result
      .rowsOf(hazardPieceRecord)
      .map(({ code, name, event_date }) => [code, name, event_date]);
    expect(hazards.sort()).toEqual([
      ['1', 'Flood, 1 m', '2011-01-13'],
      ['2', 'Flood, 2 m', '2011-01-13'],
    ]);
    expect(result.drops).toEqual({ other_class: 1 });
  });

  it('decides whether a parcel is dropped', async () => {
    const result = await read(
      cadastreAdapter,
      [
        feature({ PFI: '1', LOT: 'L1', KIND: null, KIND2: 'road' }, square(0)),
        feature({ PFI: '2', LOT: 'L2', KIND: 'lot', KIND2: 'road' }, square(1)),
      ],
      {
        state: 'VIC',
        field_map: {
          parcel_id: 'PFI',
          lot_plan: 'LOT',
          drops: [{ name: 'road', fields: ['KIND', 'KIND2'], drop: ['road'] }],
        },
      },
    );
    expect(result.rowsOf(parcelRecord).map(({ parcel_id }) => parcel_id)).toEqual(['VIC:2']);
  });
});
