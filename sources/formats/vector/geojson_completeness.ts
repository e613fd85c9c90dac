const EXCEEDED = /"exceededTransferLimit"\s*:\s*"?true/i;
const MATCHED = /"(?:numberMatched|totalFeatures)"\s*:\s*"?(\d+)/g;
const RETURNED = /"numberReturned"\s*:\s*"?(\d+)/;
const NEXT_PAGE = /"rel"\s*:\s*"next"/;

/** Collects what the documents of a GeoJSON file state about missing features. */
export class GeoJsonCompleteness {
  #exceeded = false;
  /** Number of features that the service states it has, and number it states it sent. */
  #matched = 0;
  #returned = 0;
  /** True: the last document links to a further page. */
  #hasNext = false;

  /** Adds the members of one document besides its features, as JSON text. */
  add(members: string): void {
    this.#exceeded ||= EXCEEDED.test(members);
    for (const [, n] of members.matchAll(MATCHED)) this.#matched = Math.max(this.#matched, Number(n));
    this.#returned += Number(RETURNED.exec(members)?.[1] ?? 0);
    this.#hasNext = NEXT_PAGE.test(members);
  }

  /** Returns how the file states that it lacks features; `count` is the number it holds. Null: it does not. */
  lacks(file: string, count: number): string | null {
    const why = this.why(count);
    if (why === null) return null;
    return `${file} is incomplete: ${why}. Its ${count} features are read, and what the dataset covers counts as not assessed. Download all pages.`;
  }

  /** Returns only the reason, without the file and the consequences. */
  why(count: number): string | null {
    if (this.#exceeded) return 'it states exceededTransferLimit, so the service left features out';
    const all = Math.max(this.#matched, this.#returned);
    if (all > count) return `it states ${all} features and holds ${count}`;
    return this.#hasNext && this.#matched === 0 ? 'it links to a next page' : null;
  }
}
