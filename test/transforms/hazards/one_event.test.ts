import { describe, expect, it } from 'vitest';
import { oneOfEachEvent } from '../../../transforms/hazards/one_event.ts';

const piece = (feature_id: string, event_date: string | null, name: string, layer = 'historical_flood') => ({
  layer,
  feature_id,
  event_date,
  name,
});

describe('recorded floods', () => {
  it('share the id and name of their event by date and state, or keep their own', () => {
    const pieces = [
      piece('VIC:historical_flood:9', '2011-01-13', 'Jan 2011, second layer'),
      piece('VIC:historical_flood:4', '2011-01-13', 'January 2011, polygon 2'),
      piece('NSW:historical_flood:1', '2011-01-13', 'January 2011'),
      piece('VIC:historical_flood:3', '1974-05-01', 'May 1974'),
      piece('VIC:historical_flood:4', null, 'January 2011'),
      piece('VIC:flood:7', '2011-01-13', 'LSIO', 'flood'),
    ];
    const january = {
      state: 'VIC',
      event_date: '2011-01-13',
      // Far from here, and so not among the pieces.
      feature_id: 'VIC:historical_flood:2',
      name: 'January 2011',
    };
    const tell = ({ feature_id, name }: typeof january) => ({ feature_id, name });
    const found = oneOfEachEvent(pieces, [january], tell);
    expect(found.map(({ feature_id }) => feature_id.replace(/:.*:/, ' '))).toEqual([
      'VIC 2',
      'VIC 2',
      'NSW 1',
      'VIC 3',
      'VIC 4',
      'VIC 7',
    ]);
    expect(found[1]!.name).toBe('January 2011');
  });
});
