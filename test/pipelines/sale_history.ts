import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFeed } from './market_feed.ts';

/** States with sales and rents enough for models of their own. */
export const MODELLED = ['NSW', 'VIC'] as const;

/** Ten years of sales and rents of some houses of two states, for figures that a young market has not, and models. */
export async function writeHistory(dir: string): Promise<void> {
  const [header, ...lines] = (await readFile(join(dir, 'truth/properties.csv'), 'utf8')).trim().split('\n');
  const names = header!.split(',');
  const houses = lines
    .map((line) => Object.fromEntries(line.split(',').map((value, i) => [names[i]!, value])))
    .filter((row) => row.alias_principal === 'P' && row.is_live === 'true')
    .filter((row) => row.flat_type === '' && row.primary_secondary === '' && row.lon !== '');
  const some = MODELLED.flatMap((state) => houses.filter((row) => row.state === state).slice(0, 24));
  if (some.length !== 48) throw new Error(`${some.length} of 48 houses have an address and a point`);
  const rows = some.flatMap(({ gnaf_pid, state }, i) =>
    Array.from({ length: 11 }, (_, year) => {
      const home = { source: 'history', state: state!, gnaf_pid: gnaf_pid! };
      const price = Math.round((600_000 + 10_000 * i) * 1.05 ** year);
      const date = `${2016 + year}-03-${10 + (i % 9)}`;
      return [
        { ...home, source_id: `S${i}-${year}`, event_type: 'sold', channel: 'sale', event_date: date, price },
        {
          ...home,
          source_id: `R${i}-${year}`,
          event_type: 'leased',
          channel: 'rent',
          event_date: date,
          price: 700,
        },
      ];
    }).flat(),
  );
  await writeFeed(dir, 'events_2026-04-01.csv', rows, 'listings');
}
