import { type IndexSections, kindOf, SECTION_KINDS, type Section, type SectionKind } from './sections.ts';

/** Bytes of a chunk: a row of a table that holds it stays below the 2 kB from which PostgreSQL moves values elsewhere. */
const CHUNK_BYTES = 1920;

/** Part of a section as bytes. */
export interface Chunk {
  readonly section: string;
  readonly kind: string;
  /** Elements of the whole section. */
  readonly size: number;
  /** Byte of the section that it begins at. */
  readonly start: number;
  /** Little-endian. A section without elements has one chunk without bytes. */
  readonly bytes: Uint8Array;
}

/** Sections in chunks, in the order of their names; the bytes are views of the sections. */
export function chunksOf(sections: IndexSections): Chunk[] {
  const chunks: Chunk[] = [];
  for (const section of Object.keys(sections).sort()) {
    const values = sections[section]!;
    const { buffer, byteOffset, byteLength, length: size } = values;
    const kind = kindOf(values);
    for (let start = 0; start === 0 || start < byteLength; start += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, byteLength - start);
      chunks.push({ section, kind, size, start, bytes: new Uint8Array(buffer, byteOffset + start, length) });
    }
  }
  return chunks;
}

/** Puts sections together from their chunks, which may come in any order. */
export class SectionsReader {
  readonly #sections: Record<string, Section> = {};
  readonly #bytes: Record<string, Uint8Array> = {};
  #missing = 0;

  add({ section, kind, size, start, bytes }: Chunk): void {
    let target = this.#bytes[section];
    if (target === undefined) {
      const values = new SECTION_KINDS[kind as SectionKind](size);
      target = new Uint8Array(values.buffer);
      this.#sections[section] = values;
      this.#bytes[section] = target;
      this.#missing += target.length;
    }
    target.set(bytes, start);
    this.#missing -= bytes.length;
  }

  /** The sections; null: no chunk has come. TypeError where some are missing. */
  finish(): IndexSections | null {
    if (this.#missing !== 0) throw new TypeError(`The index lacks ${this.#missing} bytes.`);
    return Object.keys(this.#sections).length === 0 ? null : this.#sections;
  }
}
