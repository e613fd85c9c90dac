import type { RateCard } from '../store/rate_cards.ts';
import type { Answered } from './operations.ts';

/** What an answer costs of its price: `none_found` is an answer; what nobody could know is not. */
export const costOf = ({ none }: Answered, path: string, { prices }: RateCard): number =>
  none === null || none === 'none_found' ? prices[path]! : 0;
