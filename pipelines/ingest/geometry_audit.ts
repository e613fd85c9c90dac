import type { Table } from '../../schema/table.ts';
import { ogcFault } from '../../transforms/geo/ogc_validity.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';

const POLYGON_TYPES: readonly number[] = [3, 6];
/**
 * One in this many single-ring shapes is checked, because reading already made them valid. Pieces and shapes with several rings are all
 * checked.
 */
const ONE_IN = 16;
/** Maximum faults in a note. */
const EXAMPLES = 3;

interface GeometryAuditCounts {
  looked: number;
  invalid: number;
  examples: string[];
}

/** Returns whether a shape is a single ring, by the head of its WKB. */
function isOneRing(wkb: Uint8Array): boolean {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength);
  return wkb.byteLength > 18 && view.getUint32(5, true) === 1 && view.getUint32(14, true) === 1;
}

/** Checks whether stored shapes of a part are valid under the OGC rules. */
export class GeometryAudit {
  readonly #counts = new Map<string, GeometryAuditCounts>();

  add(table: Table, rows: readonly Record<string, unknown>[]): void {
    for (const column of ['geom', 'outline']) {
      if (table.columns[column]?.type !== 'bytea') continue;
      const isPiece = table.name.endsWith('_piece');
      for (const row of rows) {
        const wkb = row[column] as Uint8Array | null;
        if (wkb !== null && (isPiece || !isOneRing(wkb) || (row.source_no as number) % ONE_IN === 0))
          this.#look(`${table.name}.${column}`, row, wkb, table.primaryKey);
      }
    }
  }

  #look(name: string, row: Record<string, unknown>, wkb: Uint8Array, key: readonly string[]): void {
    if (!POLYGON_TYPES.includes(wkb[1]!)) return;
    let counts = this.#counts.get(name);
    if (counts === undefined) {
      counts = { looked: 0, invalid: 0, examples: [] };
      this.#counts.set(name, counts);
    }
    counts.looked++;
    const fault = ogcFault(decodeWkb(wkb));
    if (fault === null) return;
    counts.invalid++;
    if (counts.examples.length < EXAMPLES)
      counts.examples.push(
        `${key.map((column) => row[column]).join(' ')}: ${fault.fault} at ${fault.x} ${fault.y}`,
      );
  }

  /** Returns a sentence for each column with invalid shapes. */
  notes(): string[] {
    return [...this.#counts]
      .filter(([, { invalid }]) => invalid > 0)
      .map(
        ([name, { looked, invalid, examples }]) =>
          `${invalid} of ${looked} checked shapes of ${name} are invalid under the OGC rules: ${examples.join('; ')}.`,
      );
  }
}
