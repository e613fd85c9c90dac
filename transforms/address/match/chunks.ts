import { type IndexSections, kindOf, SECTION_KINDS, type Section, type SectionKind } from './sections.ts';

/** Maximum bytes of a chunk: its table row stays below 2 kB, above which PostgreSQL stores values out of line. */
const CHUNK_BYTES = 1920;

/** Part of a section as bytes. */
export interface Chunk {
  readonly section: string;
  readonly kind: string;
  /** Number of elements in the whole section. */
  readonly size: number;
  /** Byte offset in the section. */
  readonly start: number;
  /** Little-endian. An empty section has one chunk without bytes. */
  readonly bytes: Uint8Array;
}

/** Splits sections into chunks, in order of section names; the bytes are views of the sections. */
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

/** Assembles sections from chunks in any order. */
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

  /** Returns the sections. Null: no chunk was added. @throws TypeError if some are missing */
  finish(): IndexSections | null {
    if (this.#missing !== 0) throw new TypeError(`The index lacks ${this.#missing} bytes.`);
    return Object.keys(this.#sections).length === 0 ? null : this.#sections;
  }
}
