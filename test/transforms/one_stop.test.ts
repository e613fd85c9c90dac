import { describe, expect, it } from 'vitest';
import { repeatedStops } from '../../transforms/one_stop.ts';

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
  [...repeatedStops(stops, stops)].map(({ stop_id }) => stop_id).sort();

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

  it('gives way to a stop in the next cell', () => {
    const [own, other] = [stop('b', '1', 'train', 'X', 0), stop('a', '1', 'train', 'X Station', 250)];
    expect([...repeatedStops([own], [other])]).toEqual([own]);
    expect([...repeatedStops([other], [own, other])]).toEqual([]);
  });
});
