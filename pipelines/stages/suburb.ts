import { addressHomeAsset } from '../../schema/assets/property.ts';
import { suburbPartAsset } from '../../schema/assets/region.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { suburbTable } from '../../schema/serving/suburb.ts';
import type { Row } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import { addPoint, extentOf, pointExtent, widen } from './extent.ts';

type Part = Row<typeof suburbPartAsset>;
/** A part that addresses are being added to. */
type Gathered = { -readonly [K in keyof Part]: Part[K] };

export const suburbPartStage = stage({
  name: 'suburb_part',
  version: 1,
  doc: 'Properties per suburb and SA2 of one cell.',
  subject: 'region',
  inputs: {
    region: input(addressHomeAsset, ['gnaf_pid', 'state', 'lon', 'lat', 'sa2', 'sa3', 'sal', 'sal_name']),
  },
  output: suburbPartAsset,
  compute({ region }, { cell, emit }) {
    const parts = new Map<string, Gathered>();
    let out = 0;
    for (const { state, lon, lat, sal, sal_name, sa2, sa3 } of region) {
      if (sal === null || sal_name === null) continue;
      out++;
      const key = `${sal}|${sa2}|${state}`;
      const known = parts.get(key);
      if (known === undefined) {
        parts.set(key, { cell, sal, sal_name, sa2, sa3, state, properties: 1, ...pointExtent(lon, lat) });
        continue;
      }
      known.properties++;
      addPoint(known, lon, lat);
    }
    const drops = out < region.length ? { no_suburb: region.length - out } : {};
    for (const row of parts.values()) emit(row);
    return {
      account: { in: region.length, out, drops: drops as Record<string, number> },
    };
  },
});

/** The key with the largest sum; ties go to the lowest key. */
function main(parts: readonly Part[], key: (part: Part) => string | null): string | null {
  const sums = new Map<string, number>();
  for (const part of parts) {
    const k = key(part);
    if (k !== null) sums.set(k, (sums.get(k) ?? 0) + part.properties);
  }
  let best: string | null = null;
  for (const [k, sum] of sums) {
    const top = best === null ? -1 : sums.get(best)!;
    if (sum > top || (sum === top && k < best!)) best = k;
  }
  return best;
}

export const serveSuburbStage = stage({
  name: 'serve_suburb',
  version: 1,
  doc: 'Rows of serving.suburb.',
  subject: 'part',
  by: 'whole',
  inputs: {
    part: input(
      suburbPartAsset,
      [
        'cell',
        'sal',
        'sal_name',
        'sa2',
        'sa3',
        'state',
        'properties',
        'min_lon',
        'min_lat',
        'max_lon',
        'max_lat',
      ],
      { kind: 'all' },
    ),
  },
  output: suburbTable,
  compute({ part }, { emit }) {
    for (const [sal, parts] of groupBy(part, (row) => row.sal_name)) {
      const sa2 = main(parts, (row) => row.sa2);
      emit({
        sal,
        cell: NO_CELL,
        state: main(parts, (row) => row.state)!,
        sa2,
        sa3: parts.find((row) => row.sa2 === sa2)?.sa3 ?? null,
        sal_code: main(parts, (row) => row.sal)!,
        properties: parts.reduce((sum, row) => sum + row.properties, 0),
        ...parts.map(extentOf).reduce(widen),
      });
    }
    return { account: { in: part.length, out: part.length, drops: {} } };
  },
});
