const EXCEEDED = /"exceededTransferLimit"\s*:\s*"?true/i;
const MATCHED = /"(?:numberMatched|totalFeatures)"\s*:\s*"?(\d+)/g;
const RETURNED = /"numberReturned"\s*:\s*"?(\d+)/;
const NEXT_PAGE = /"rel"\s*:\s*"next"/;

/** What the documents of a GeoJSON file state about features that they lack. */
export class GeoJsonCompleteness {
  #exceeded = false;
  /** Features that the service has, and those that it says it sent. */
  #matched = 0;
  #returned = 0;
  /** The last document links to a further page. */
  #hasNext = false;

  /** Takes the members of one document besides its features, as JSON text. */
  add(members: string): void {
    this.#exceeded ||= EXCEEDED.test(members);
    for (const [, n] of members.matchAll(MATCHED)) this.#matched = Math.max(this.#matched, Number(n));
    this.#returned += Number(RETURNED.exec(members)?.[1] ?? 0);
    this.#hasNext = NEXT_PAGE.test(members);
  }

  /** How the file states that it lacks features, of which it holds `count`; null: it states no such thing. */
  lacks(file: string, count: number): string | null {
    const why = this.why(count);
    if (why === null) return null;
    return `${file} is incomplete: ${why}. Its ${count} features are read, and what the dataset covers counts as not assessed. Download all pages.`;
  }

  /** The same without the file and what follows from it. */
  why(count: number): string | null {
    if (this.#exceeded) return 'it states exceededTransferLimit, so the service left features out';
    const all = Math.max(this.#matched, this.#returned);
    if (all > count) return `it states ${all} features and holds ${count}`;
    return this.#hasNext && this.#matched === 0 ? 'it links to a next page' : null;
  }
}
