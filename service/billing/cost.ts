import type { BundleOutcomes, NoData, PartOutcome } from '../../contract/answers/answer.ts';
import { operationPath } from '../../contract/answers/operation.ts';
import type { RateCard } from '../../schema/rate_card.ts';
import type { PriceList } from '../../store/accounts/rate_cards.ts';
import type { ServiceAnswer } from '../operation.ts';

/** `none_found` is an answer and is charged. Answers that are unknown are free. */
const isPaid = (none: NoData | null): boolean => none === null || none === 'none_found';

const sumOf = (parts: BundleOutcomes, prices: PriceList): number =>
  Object.entries(parts).reduce((sum, [path, outcome]) => sum + costOfPart(path, outcome, prices), 0);

function costOfPart(path: string, outcome: PartOutcome, prices: PriceList): number {
  const price = prices[operationPath(path)]!;
  if (outcome === null || typeof outcome === 'string') return isPaid(outcome) ? price : 0;
  return Math.min(price, sumOf(outcome, prices));
}

/** Cost of an answer in cents, by charged operation. */
export const chargesOf = (
  answered: ServiceAnswer,
  path: string,
  card: RateCard,
): [path: string, cents: number][] =>
  Object.entries(answered.composed?.costs ?? { [path]: costOf(answered, path, card) }).filter(
    ([, cents]) => cents > 0,
  );

/** Cost of an answer in cents: its price if it is charged; for a bundle the sum of its parts, at most the bundle's price. */
export function costOf(
  { none, parts }: Pick<ServiceAnswer, 'none' | 'parts'>,
  path: string,
  { prices }: RateCard,
): number {
  const price = prices[path]!;
  if (parts !== null) return Math.min(price, sumOf(parts, prices));
  return isPaid(none) ? price : 0;
}
