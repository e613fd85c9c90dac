import type { FeatureField, Features } from '../formats/feature.ts';
import { statedId } from '../formats/tidy_text.ts';
import type { LotPlanMap, Rewrite } from './field_maps.ts';

/** A text this long is no lot on plan, and no pattern is tried on it. */
const MAX_LENGTH = 100;
/** Examples in a note. */
const EXAMPLES = 5;

/** Puts the lot on plan of a row together from its columns, and writes it anew where the map has patterns. */
export class LotPlanText {
  readonly #parts: readonly (readonly FeatureField[])[];
  readonly #separator: string;
  readonly #patterns: readonly { readonly match: RegExp; readonly write: string }[];
  readonly #unmatched: string[] = [];
  #texts = 0;
  #unmatchedTexts = 0;

  /** `parts`: the columns of each; empty: the file has none. */
  constructor(parts: readonly (readonly FeatureField[])[], map: LotPlanMap | null) {
    this.#parts = parts;
    this.#separator = map?.separator ?? '';
    this.#patterns = (map?.patterns ?? []).map(({ match, write }: Rewrite) => ({
      match: new RegExp(match, 'i'),
      write,
    }));
  }

  /** Null where any part of it is blank, half a reference would match the wrong parcel, or where all are zeros, which name nothing. */
  of(batch: Features, row: number): string | null {
    if (this.#parts.length === 0) return null;
    const parts: string[] = [];
    for (const fields of this.#parts) {
      let text: string | null = null;
      for (const field of fields) text ??= statedId(batch.id(row, field));
      if (text === null) return null;
      parts.push(text);
    }
    if (parts.every((part) => /^0+$/.test(part))) return null;
    return this.#rewritten(parts.join(this.#separator));
  }

  #rewritten(text: string): string {
    if (this.#patterns.length === 0) return text;
    this.#texts++;
    const found = text.length > MAX_LENGTH ? undefined : this.#patterns.find(({ match }) => match.test(text));
    if (found !== undefined) return text.replace(found.match, found.write);
    this.#unmatchedTexts++;
    if (this.#unmatched.length < EXAMPLES) this.#unmatched.push(text.slice(0, MAX_LENGTH));
    return text;
  }

  /** A sentence of the texts that no pattern matches. */
  notes(file: string): string[] {
    if (this.#unmatchedTexts === 0) return [];
    return [
      `${file}: ${this.#unmatchedTexts} of ${this.#texts} lots on plan match no pattern of the field map and are taken as they are: ${this.#unmatched.join(', ')}${this.#unmatchedTexts > EXAMPLES ? ', …' : ''}.`,
    ];
  }
}
