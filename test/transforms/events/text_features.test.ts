import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  featuresOfText,
  statedFeatures,
  TEXT_FEATURES,
  type TextFeature,
} from '../../../transforms/events/text_features.ts';
import { FOURFOLD_MAX, timesAsMuch } from '../../growth.ts';

const cases: [TextFeature, boolean | undefined, string[]][] = [
  [
    'presence_of_pool',
    true,
    [
      'Sparkling in-ground swimming pool.',
      'Pool and spa in the complex',
      'No expense spared: solar-heated pool!',
      'Not only a pool but a tennis court',
      'There is no garage. Pool at the rear',
      'No garage, pool at the rear',
      'no pool table, but a lap pool',
      '<p>Resort-style POOL</p>',
    ],
  ],
  [
    'presence_of_pool',
    false,
    [
      'Low-maintenance block with no pool.',
      'without a pool',
      'no swimming pool, no fuss',
      'The pool has been removed',
      'the pool was filled in',
      'Does not have a pool',
    ],
  ],
  [
    'presence_of_pool',
    undefined,
    [
      'Room for a pool (STCA)',
      'space for a large swimming pool',
      'Close to the local pool',
      'walk to the public swimming pool',
      '5 minutes to the aquatic centre pool',
      'pool table in the rumpus',
      'a rumpus or pool room',
      'carpool lane',
      'Near schools',
      'scope to add a pool',
    ],
  ],
  [
    'level_access',
    true,
    [
      'Single level living',
      'single-storey brick veneer',
      'No steps to the front door',
      'wheelchair accessible bathroom',
      'Lift access to every floor',
      'level access from the street',
      'all on one level',
    ],
  ],
  ['level_access', false, ['no lift', 'Stairs only to level two', 'steep driveway']],
  [
    'level_access',
    undefined,
    [
      'Level 3 apartment',
      'two storeys of living',
      'Split-level home',
      'no steps from the station to the shops',
    ],
  ],
  [
    'good_view_outlook',
    true,
    [
      'Views to the bay',
      'sweeping ocean views',
      'a leafy outlook',
      'overlooking the park',
      'Panoramic city vistas',
      'Inspect to appreciate the view',
    ],
  ],
  ['good_view_outlook', false, ['no views', 'without a view', 'the views are blocked']],
  [
    'good_view_outlook',
    undefined,
    ['View by appointment', 'Viewing is a must', 'Please view online', 'take a virtual view', 'Must view!'],
  ],
  [
    'presence_of_ensuite',
    true,
    ['Main with WIR and ensuite', 'en-suite to master', 'two en suites', 'BIR & en suite'],
  ],
  ['presence_of_ensuite', false, ['no ensuite', 'Three bedrooms without ensuite']],
  ['presence_of_ensuite', undefined, ['room for an ensuite', 'One bathroom', 'suite of rooms']],
  [
    'big_kitchen',
    true,
    [
      'Large modern kitchen',
      'gourmet kitchen',
      "chef's kitchen",
      'spacious, light eat-in kitchen',
      "kitchen with butler's pantry",
      'huge open-plan timber kitchen',
      'The kitchen is spacious',
    ],
  ],
  ['big_kitchen', false, ['small kitchen', 'studio with kitchenette', 'galley kitchen']],
  [
    'big_kitchen',
    undefined,
    ['kitchen', 'large bedrooms and a kitchen garden shop next door to the pub', 'updated kitchen'],
  ],
  [
    'entertaining_area',
    true,
    [
      'Alfresco dining',
      'al fresco area',
      'undercover entertaining area',
      "an entertainer's dream",
      'timber deck',
      'pergola',
    ],
  ],
  ['entertaining_area', false, ['no deck', 'lacks an entertaining area']],
  [
    'entertaining_area',
    undefined,
    ['close to the entertainment precinct', 'double-decker bus at the door', 'desk'],
  ],
  [
    'natural_light',
    true,
    [
      'bathed in natural light',
      'Light-filled living',
      'sun drenched courtyard',
      'bright and airy',
      'north-facing living',
      'skylights',
      'flooded with light',
    ],
  ],
  [
    'natural_light',
    false,
    ['lacks natural light', 'no natural light in the second bedroom', 'dark interior'],
  ],
  ['natural_light', undefined, ['light rail at the door', 'downlights', 'lightly used', 'traffic lights']],
];

describe('the features that a text states', () => {
  it.each(cases.flatMap(([feature, said, texts]) => texts.map((text) => [feature, said, text] as const)))(
    '%s is %s in "%s"',
    (feature, said, text) => {
      expect(featuresOfText(text)[feature]).toBe(said);
    },
  );

  it('are denied only if no sentence affirms them', () => {
    expect(featuresOfText('The unit has no pool. The complex has a heated pool.').presence_of_pool).toBe(
      true,
    );
  });

  it('add to a stated list, which overrides the text', () => {
    expect(statedFeatures(['presence_of_pool', 'hot tub'], 'no pool, no ensuite')).toEqual({
      features: ['presence_of_pool'],
      no_features: ['presence_of_ensuite'],
    });
    expect(statedFeatures(null, '  ')).toEqual({ features: null, no_features: null });
    expect(statedFeatures([], null)).toEqual({ features: [], no_features: [] });
  });

  it('are read from any text, and the same each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const said = featuresOfText(text);
        expect(featuresOfText(text)).toEqual(said);
        for (const name of Object.keys(said)) expect(TEXT_FEATURES).toContain(name);
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  it('are read from hostile texts in time that grows with their length', () => {
    for (const bit of ['no ', 'a-', 'large ', '<', "pool's, ", 'close to the ', 'kitchen is ']) {
      const read = (times: number) => () => featuresOfText(bit.repeat(times));
      expect(timesAsMuch(read(20_000), read(5_000)), bit).toBeLessThan(FOURFOLD_MAX);
    }
  });
});
