import type { ReadDate } from './words/dates.ts';

/** Counts values that a rule decided while the events of a file were read; returns sentences for the run report. */
export class EventNotes {
  readonly #unread = new Map<string, number>();
  #ambiguous = 0;
  #flipped = 0;

  /** Counts a field with an unusable value; it is null. */
  unread(field: string): void {
    this.#unread.set(field, (this.#unread.get(field) ?? 0) + 1);
  }

  date(reading: ReadDate['reading']): void {
    if (reading === 'ambiguous') this.#ambiguous++;
    else if (reading === 'flipped') this.#flipped++;
  }

  /** Returns sentences about the file. Ambiguous dates are reported only if other dates break the order. */
  sentences(file: string, order: 'dmy' | 'mdy'): string[] {
    const name = order === 'dmy' ? 'day/month/year' : 'month/day/year';
    const notes: string[] = [];
    if (this.#flipped > 0)
      notes.push(
        `${file}: ${this.#flipped} dates are invalid as ${name} and were read the other way round; ${this.#ambiguous} are ambiguous and were read as ${name} (option date_order).`,
      );
    if (this.#unread.size > 0) {
      const fields = [...this.#unread].sort(([a], [b]) => (a < b ? -1 : 1));
      notes.push(
        `${file}: values treated as missing because they are unreadable or out of bounds: ${fields.map(([field, count]) => `${field} ${count}`).join(', ')}.`,
      );
    }
    return notes;
  }
}
