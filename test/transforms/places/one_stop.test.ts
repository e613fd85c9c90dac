import { describe, expect, it } from 'vitest';
import type { ComputedStage } from '../../../pipelines/engine/stage.ts';
import { serveStopStage } from '../../../pipelines/stages/places/serve_stop.ts';
import { cellOf } from '../../../schema/grid.ts';
import { repeatedStops } from '../../../transforms/places/one_stop.ts';
import { computed } from '../../pipelines/computed.ts';

const METRE = 1 / 111_000;
const stop = (source: string, id: string, mode: string, label: string, north_m: number) => ({
  source,
  stop_id: `${source}:${id}`,
  mode,
  label,
  lon: 145,
  lat: -37.8 + north_m * METRE,
});
type Stop = ReturnType<typeof stop>;

const repeatedIds = (stops: Stop[]): string[] =>
  [...repeatedStops(stops, stops).keys()].map(({ stop_id }) => stop_id).sort();

describe('stops of several sources', () => {
  it.each<[string, Stop[], string[]]>([
    [
      'a station by its name, whatever is around it, within 300 m',
      [
        stop('gtfs:1', 'vic:rail:RMD', 'train', 'Richmond Railway Station', 0),
        stop('layer:METRO', '19908', 'train', 'Richmond Railway Station (Richmond)', 280),
        stop('layer:REGIONAL', '20043', 'train', 'Richmond Station', 320),
        stop('layer:METRO', '19909', 'train', 'East Richmond Railway Station (Richmond)', 290),
      ],
      ['layer:METRO:19908', 'layer:REGIONAL:20043'],
    ],
    [
      'a stop by its number within 150 m',
      [
        stop('gtfs:3', '10311', 'tram', 'Glenferrie Rd/Wattletree Rd #45', 0),
        stop('layer:TRAM', '10311', 'tram', '45-Glenferrie Rd/Wattletree Rd (Malvern)', 120),
        stop('gtfs:3', '10312', 'tram', 'A St #1', 0),
        stop('layer:TRAM', '10312', 'tram', '1-A St', 200),
      ],
      ['layer:TRAM:10311'],
    ],
    [
      'a stop by its place alone, within 1 m',
      [
        stop('a', '1', 'bus', 'One name', 0),
        stop('b', '2', 'bus', 'Another name', 0.5),
        stop('b', '3', 'bus', 'One name', 20),
        stop('c', '4', 'tram', 'One name', 0),
      ],
      ['b:2'],
    ],
    [
      'never within one source: the two sides of a street stay two',
      [stop('a', '1', 'bus', 'High St', 0), stop('a', '2', 'bus', 'High St', 0.2)],
      [],
    ],
    ['identifiers with colons', [stop('a:b', '1:2', 'bus', 'x', 0), stop('a', 'b:1:2', 'bus', 'y', 50)], []],
  ])('%s', (_, stops, wanted) => {
    expect(repeatedIds(stops)).toEqual(wanted);
    expect(repeatedIds([...stops].reverse())).toEqual(wanted);
  });

  it('merge into a stop in the next cell', () => {
    const [own, other] = [stop('b', '1', 'train', 'X', 0), stop('a', '1', 'train', 'X Station', 250)];
    expect([...repeatedStops([own], [other])]).toEqual([[own, other]]);
    expect([...repeatedStops([other], [own, other])]).toEqual([]);
  });

  it('merge in a chain into the one with the lowest id', () => {
    const [first, second, third] = [
      stop('a', '1', 'train', 'X Station', 0),
      stop('b', '1', 'train', 'X', 280),
      stop('c', '1', 'train', 'X Railway Station', 500),
    ];
    const all = [third!, second!, first!];
    expect(repeatedStops(all, all)).toEqual(
      new Map([
        [third, first],
        [second, first],
      ]),
    );
  });

  it('keep every point of a station, and only one of any other stop', () => {
    const rows = [
      stop('a', '1', 'train', 'X Station', 0),
      stop('b', '1', 'train', 'X', 100),
      stop('a', '2', 'bus', 'High St', 0),
      stop('b', '2', 'bus', 'High St', 100),
    ].map((row) => ({ ...row, cell: cellOf(row.lon, row.lat) }));
    const { rows: served, account } = computed(serveStopStage as ComputedStage, {
      stop: rows,
      around: rows,
      region: [],
    });
    expect(served.map(({ stop_id, one_stop_id, label }) => [stop_id, one_stop_id, label])).toEqual([
      ['a:1', 'a:1', 'X Station'],
      ['b:1', 'a:1', 'X Station'],
      ['a:2', 'a:2', 'High St'],
    ]);
    expect(account).toEqual({ in: 4, out: 3, drops: { same_stop: 1 } });
  });
});
