import type { FeatureField, Features } from '../formats/feature.ts';
import { tidyText } from './tidy_text.ts';

/** Returns the first filled column of a row, as an identifier or code; null: all are blank. */
export function firstId(batch: Features, row: number, fields: readonly FeatureField[]): string | null {
  for (const field of fields) {
    const text = tidyText(batch.id(row, field));
    if (text !== null) return text;
  }
  return null;
}

/** Returns the first filled column of a row, as text; null: all are blank. */
export function firstText(batch: Features, row: number, fields: readonly FeatureField[]): string | null {
  for (const field of fields) {
    const text = tidyText(batch.text(row, field));
    if (text !== null) return text;
  }
  return null;
}
