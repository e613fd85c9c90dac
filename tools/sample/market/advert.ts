import type { Random } from '../random.ts';
import type { PricedHome } from './price_model.ts';

/** Features of the finder, with what agents write of them. */
const PHRASES = {
  level_access: ['Step-free entry and everything on one level.', 'Single level living with no stairs.'],
  good_view_outlook: ['Sweeping views over the valley.', 'A leafy outlook from the balcony.'],
  presence_of_ensuite: ['The main bedroom has an ensuite.', 'Master with walk-in robe and ensuite.'],
  big_kitchen: ['A large kitchen with stone benches.', 'Spacious chef’s kitchen with island bench.'],
  presence_of_pool: ['Sparkling in-ground pool.', 'Solar heated swimming pool.'],
  entertaining_area: ['A covered alfresco for entertaining.', 'Huge entertaining deck.'],
  natural_light: ['North facing and filled with natural light.', 'Light-filled living rooms.'],
} as const;
type Feature = keyof typeof PHRASES;

/** Said of homes without the feature: words that look like it. */
const DECOYS = ['Walk to the community pool.', 'No steps from the station to be sorry about.', 'Be quick!'];
const OPENINGS = [
  'Welcome home.',
  'First time offered in years.',
  'Perfectly placed.',
  'Don’t miss this one.',
];

/** What is advertised of a home, and what is true of it. */
export interface Advert {
  readonly features: readonly Feature[];
  readonly description: string;
}

/** Draws features, and a text that tells each of them. */
export function drawAdvert(home: PricedHome, suburb: string, random: Random): Advert {
  const features = (Object.keys(PHRASES) as Feature[]).filter((feature) =>
    feature === 'presence_of_ensuite' ? home.bathrooms > 1 : random.chance(0.25),
  );
  const words: string[] = features.map((feature) => random.pick(PHRASES[feature]));
  if (random.chance(0.15)) words.push(random.pick(DECOYS));
  const opening = `${random.pick(OPENINGS)} This ${home.bedrooms} bedroom ${home.type} in ${suburb} is close to everything.`;
  return { features, description: [opening, ...words].join(' ') };
}
