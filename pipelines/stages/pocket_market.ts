import { pocketStreetAsset } from '../../schema/assets/market.ts';
import { addressHomeAsset } from '../../schema/assets/property.ts';
import { pocketMarketTable } from '../../schema/serving/pocket_market.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import type { Row } from '../../schema/table.ts';
import { MARKET, type MonthMedian, marketFigures } from '../../transforms/suburb/market.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';
import {
  areasBy,
  DAY_INPUT,
  FACT_INPUT,
  figureColumns,
  lastDay,
  monthDate,
  seriesRows,
} from './market_areas.ts';
import { RENTED_INPUTS, rentedDwellings } from './rented_dwellings.ts';

/** The entry with the most rows; of equals the first by name. */
function commonest<T>(groups: ReadonlyMap<string, readonly T[]>): [string, readonly T[]] {
  return [...groups].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))[0]!;
}

export const pocketStreetStage = stage({
  name: 'pocket_street',
  version: 1,
  doc: 'The streets of each SA1 with their addresses, cell by cell.',
  subject: 'property',
  inputs: {
    property: input(propertyTable, ['gnaf_pid', 'street', 'sal', 'sa2', 'sa3']),
    region: input(addressHomeAsset, ['gnaf_pid', 'sa1'], { kind: 'own' }, { sa1: { not: null } }),
  },
  output: pocketStreetAsset,
  compute({ property, region }, { cell, emit }) {
    const regions = byPid(region);
    const located = property.flatMap((row) => {
      const sa1 = regions.get(row.gnaf_pid)?.sa1 ?? null;
      return sa1 === null || row.street === null ? [] : [{ ...row, sa1, street: row.street }];
    });
    const streets = groupBy(located, ({ sa1, street }) => `${sa1}|${street}`);
    for (const own of streets.values()) {
      const [, [first]] = commonest(groupBy(own, ({ sal }) => sal ?? ''));
      const { sa1, street, sal, sa2, sa3 } = first!;
      emit({ cell, sa1, street, sal, sa2, sa3, addresses: own.length });
    }
    const none = property.length - located.length;
    const drops: Record<string, number> = none > 0 ? { no_pocket: none } : {};
    return { account: { in: property.length, out: located.length, drops } };
  },
});

type Street = Pick<Row<typeof pocketStreetAsset>, 'sa1' | 'street' | 'sal' | 'sa2' | 'sa3' | 'addresses'>;

/** The street of each SA1 with the most addresses in all cells together, with the regions of its largest part. */
function mainStreets(parts: readonly Street[]): Map<string, Street> {
  const main = new Map<string, Street>();
  for (const [sa1, own] of groupBy(parts, (row) => row.sa1)) {
    let best: Street | null = null;
    for (const pieces of groupBy(own, (row) => row.street).values()) {
      const largest = pieces.reduce((a, b) => (b.addresses > a.addresses ? b : a));
      const addresses = pieces.reduce((sum, row) => sum + row.addresses, 0);
      const isBetter = best === null || addresses > best.addresses;
      if (isBetter || (addresses === best!.addresses && largest.street < best!.street))
        best = { ...largest, addresses };
    }
    main.set(sa1, best!);
  }
  return main;
}

/** A series without its suppressed months, which of most pockets are all. */
const shownRows = (series: readonly MonthMedian[]): unknown =>
  seriesRows(series.filter(({ median }) => median !== null));

export const servePocketMarketStage = stage({
  name: 'serve_pocket_market',
  version: 2,
  doc: 'Rows of serving.pocket_market: the figures of every SA1 with a sale, rent or listing.',
  subject: 'fact',
  by: 'whole',
  inputs: {
    fact: FACT_INPUT,
    day: DAY_INPUT,
    ...RENTED_INPUTS,
    street: input(pocketStreetAsset, ['sa1', 'street', 'sal', 'sa2', 'sa3', 'addresses'], { kind: 'all' }),
  },
  output: pocketMarketTable,
  compute({ fact, day, street, census, suburb }, { emit }) {
    const params = { ...MARKET, as_of: lastDay(day) };
    const streets = mainStreets(street);
    const rented = rentedDwellings(census, suburb)('SA1');
    for (const area of areasBy(fact, ({ sa1 }) => sa1, rented)) {
      const figures = marketFigures(area.input, params);
      const main = streets.get(area.area);
      emit({
        sa1: area.area,
        market: area.market,
        name: main?.street ?? null,
        sal: main?.sal ?? null,
        state: area.state,
        sa2: main?.sa2 ?? null,
        sa3: main?.sa3 ?? null,
        month: monthDate(figures.month),
        ...figureColumns(figures),
        price_series: shownRows(figures.price_series),
        rent_series: shownRows(figures.rent_series),
      });
    }
    const unplaced = fact.filter(({ sa1 }) => sa1 === null).length;
    const drops: Record<string, number> = unplaced > 0 ? { no_pocket: unplaced } : {};
    return { account: { in: fact.length, out: fact.length - unplaced, drops } };
  },
});
