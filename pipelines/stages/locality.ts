import { localityPartAsset } from '../../schema/assets/api.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { localityTable } from '../../schema/serving/locality.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { searchKey } from '../../transforms/address/search_key.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import { addPoint, type Extent, extentOf, pointExtent, widen } from './extent.ts';

const sorted = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** The box around points; those without coordinates add nothing. */
function extentAround(points: readonly { lon: number | null; lat: number | null }[]): Extent {
  const extent = pointExtent(null, null);
  for (const { lon, lat } of points) addPoint(extent, lon, lat);
  return extent;
}

export const localityPartStage = stage({
  name: 'locality_part',
  version: 1,
  doc: 'Properties and postcodes per locality of one cell.',
  subject: 'property',
  inputs: { property: input(propertyTable, ['gnaf_pid', 'state', 'locality', 'postcode', 'lon', 'lat']) },
  output: localityPartAsset,
  compute({ property }, { cell, emit }) {
    for (const of of groupBy(property, (row) => `${row.state}|${row.locality}`).values()) {
      emit({
        cell,
        state: of[0]!.state,
        name: of[0]!.locality,
        postcodes: sorted(of.flatMap((row) => row.postcode ?? [])),
        properties: of.length,
        ...extentAround(of),
      });
    }
    return { account: { in: property.length, out: property.length, drops: {} } };
  },
});

export const serveLocalityStage = stage({
  name: 'serve_locality',
  version: 1,
  doc: 'Rows of serving.locality.',
  subject: 'part',
  by: 'whole',
  inputs: {
    part: input(
      localityPartAsset,
      ['cell', 'state', 'name', 'postcodes', 'properties', 'min_lon', 'min_lat', 'max_lon', 'max_lat'],
      { kind: 'all' },
    ),
  },
  output: localityTable,
  compute({ part }, { emit }) {
    for (const of of groupBy(part, (row) => `${row.state}|${row.name}`).values()) {
      emit({
        state: of[0]!.state,
        name: of[0]!.name,
        cell: NO_CELL,
        name_key: searchKey(of[0]!.name),
        postcodes: sorted(of.flatMap((row) => row.postcodes)),
        properties: of.reduce((sum, row) => sum + row.properties, 0),
        ...of.map(extentOf).reduce(widen),
      });
    }
    return { account: { in: part.length, out: part.length, drops: {} } };
  },
});
