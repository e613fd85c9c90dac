import { statedId } from '../fields/tidy_text.ts';
import type { FeatureField, Features } from '../formats/feature.ts';
import { findFields } from '../formats/table/columns.ts';
import type { LotPlanMap, RewriteRule } from './field_maps.ts';

/** Maximum characters of a lot on plan; patterns are not tried on a longer text. */
const MAX_LENGTH = 100;
/** Maximum examples in a note. */
const EXAMPLES = 5;

/** One format of the lot on plan, bound to the columns of a file. */
interface LotPlanFormat {
  readonly parts: readonly (readonly FeatureField[])[];
  readonly separator: string;
  readonly patterns: readonly { readonly match: RegExp; readonly write: string }[];
}

/** Binds a format if the file has columns for each part; otherwise returns none. */
function formOf(map: LotPlanMap | null, fields: readonly FeatureField[]): LotPlanFormat[] {
  const parts = map?.parts.map((aliases) => findFields(fields, aliases)) ?? [];
  if (map === null || parts.some((columns) => columns.length === 0)) return [];
  const patterns = (map.patterns ?? []).map(({ match, write }: RewriteRule) => ({
    match: new RegExp(match, 'i'),
    write,
  }));
  return [{ parts, separator: map.separator, patterns }];
}

/** Builds the lot on plan of a row from its columns, and rewrites it if the map has patterns. */
export class LotPlanText {
  readonly #forms: readonly LotPlanFormat[];
  readonly #unmatched: string[] = [];
  #texts = 0;
  #unmatchedTexts = 0;

  /** `forms`: the first format that a row fills counts. */
  constructor(forms: readonly (LotPlanMap | null)[], fields: readonly FeatureField[]) {
    this.#forms = forms.flatMap((map) => formOf(map, fields));
  }

  /** Columns that are read; empty: the file has no lot on plan. */
  get fields(): FeatureField[] {
    return this.#forms.flatMap(({ parts }) => parts.flat());
  }

  /** Returns the lot on plan of a row; null if each format has a blank part (half a reference would match the wrong parcel) or is all zeros. */
  of(batch: Features, row: number): string | null {
    for (const form of this.#forms) {
      const text = joinedText(form, batch, row);
      if (text !== null) return this.#rewritten(text, form);
    }
    return null;
  }

  #rewritten(text: string, { patterns }: LotPlanFormat): string {
    if (patterns.length === 0) return text;
    this.#texts++;
    const pattern = text.length > MAX_LENGTH ? undefined : patterns.find(({ match }) => match.test(text));
    if (pattern !== undefined) return text.replace(pattern.match, pattern.write);
    this.#unmatchedTexts++;
    if (this.#unmatched.length < EXAMPLES) this.#unmatched.push(text.slice(0, MAX_LENGTH));
    return text;
  }

  /** Returns a sentence about texts that no pattern matches. */
  notes(file: string): string[] {
    if (this.#unmatchedTexts === 0) return [];
    return [
      `${file}: ${this.#unmatchedTexts} of ${this.#texts} lots on plan match no pattern of the field map and are used unchanged: ${this.#unmatched.join(', ')}${this.#unmatchedTexts > EXAMPLES ? ', …' : ''}.`,
    ];
  }
}

/** Joins the parts of a format in a row; null: one is blank, or all are zeros. */
function joinedText({ parts, separator }: LotPlanFormat, batch: Features, row: number): string | null {
  const texts: string[] = [];
  for (const fields of parts) {
    let text: string | null = null;
    for (const field of fields) text ??= statedId(batch.id(row, field));
    if (text === null) return null;
    texts.push(text);
  }
  return texts.every((text) => /^0+$/.test(text)) ? null : texts.join(separator);
}
