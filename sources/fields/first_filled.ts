import type { FeatureField, Features } from '../formats/feature.ts';
import { tidyText } from './tidy_text.ts';

/** The first of several columns that is filled in a row, as an identifier or code; null: none is. */
export function firstId(batch: Features, row: number, fields: readonly FeatureField[]): string | null {
  for (const field of fields) {
    const text = tidyText(batch.id(row, field));
    if (text !== null) return text;
  }
  return null;
}

/** The same as text. */
export function firstText(batch: Features, row: number, fields: readonly FeatureField[]): string | null {
  for (const field of fields) {
    const text = tidyText(batch.text(row, field));
    if (text !== null) return text;
  }
  return null;
}
