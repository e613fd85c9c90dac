import { overlap } from './coverage_claim.ts';
import type { DatasetWithExtent, Recognised } from './recognised.ts';
import { roleOf, termsOf } from './roles.ts';

const termsQuestion = (dataset: Recognised): string | null => {
  const terms = termsOf(dataset);
  return terms === null ? null : `May you use it? ${terms} Set licence, and accept_licence to the same text.`;
};

/** Adds a question on terms of use, and to all but the largest of the datasets that share a role and an area. */
export function withQuestions(datasets: readonly DatasetWithExtent[]): Recognised[] {
  const largest = [...datasets].sort(
    (a, b) => (b.extent?.features.length ?? 0) - (a.extent?.features.length ?? 0),
  );
  const isBeside = (a: DatasetWithExtent, b: DatasetWithExtent): boolean => {
    const role = roleOf(a.dataset);
    if (role === null || role !== roleOf(b.dataset)) return false;
    return a.extent === null || b.extent === null || overlap(a.extent.box, b.extent.box);
  };
  const readable: DatasetWithExtent[] = [];
  const questions = new Map<DatasetWithExtent, string>();
  for (const each of largest) {
    if (each.dataset.question !== null) continue;
    const first = readable.find((other) => isBeside(other, each));
    if (first === undefined) readable.push(each);
    else
      questions.set(
        each,
        `This or ${first.dataset.path.join(', ')}? Both are ${roleOf(each.dataset)!.trim()} of the same area; only the other one is read.`,
      );
  }
  return datasets.map((each) => ({
    ...each.dataset,
    question: each.dataset.question ?? questions.get(each) ?? termsQuestion(each.dataset),
  }));
}
