import { deflateSync } from 'node:zlib';
import { PbfWriter } from 'pbf';
import { BinaryFile } from '../formats/binary_file.ts';
import type { PlaceSink, SamplePlace } from './sample_place.ts';

const UNITS = 1e7;
/** Objects of a block; the format allows 8,000. */
const BLOCK = 8000;

interface Node {
  readonly id: number;
  readonly lon: number;
  readonly lat: number;
  readonly tags: Readonly<Record<string, string>> | null;
}
interface Way {
  readonly id: number;
  readonly refs: readonly number[];
  readonly tags: Readonly<Record<string, string>> | null;
}
interface Relation {
  readonly id: number;
  readonly ways: readonly number[];
  readonly tags: Readonly<Record<string, string>>;
}

/** The texts of one block. */
class Texts {
  readonly list = [''];
  readonly #at = new Map<string, number>();

  of(text: string): number {
    const known = this.#at.get(text);
    if (known !== undefined) return known;
    this.#at.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}

/**
 * Writes places as an .osm.pbf: dense nodes, ways and multipolygon relations, in this order. Nodes are streamed, ways and relations are
 * held until it is closed. An area with holes is a relation of untagged ways.
 */
export class OsmPbfWriter implements PlaceSink {
  readonly file: string;
  /** Objects of all kinds written, and those without a tag. */
  count = 0;
  untagged = 0;
  readonly #out: BinaryFile;
  #nodes: Node[] = [];
  readonly #ways: Way[] = [];
  readonly #relations: Relation[] = [];
  #nextNode = 1_000_000_000;
  #nextWay = 900_000_000;

  constructor(path: string, file: string) {
    this.file = file;
    this.#out = new BinaryFile(path);
    const header = new PbfWriter();
    header.writeStringField(4, 'OsmSchema-V0.6');
    header.writeStringField(4, 'DenseNodes');
    this.#blob('OSMHeader', header.finish());
  }

  write({ serial, tags, at }: SamplePlace, rings: readonly Float64Array[]): string {
    if ('point' in at) {
      this.#node({ id: serial, lon: rings[0]![0]!, lat: rings[0]![1]!, tags });
      return `osm:node/${serial}`;
    }
    const ways = rings.map((ring) => this.#ring(ring));
    if (ways.length === 1) {
      this.#ways.push({ id: serial, refs: ways[0]!, tags });
      return `osm:way/${serial}`;
    }
    // each ring in two halves, which a reader has to join
    const ids = ways.flatMap((refs) =>
      [refs.slice(0, 3), refs.slice(2)].map((half) => this.#untaggedWay(half)),
    );
    this.#relations.push({ id: serial, ways: ids, tags: { ...tags, type: 'multipolygon' } });
    return `osm:relation/${serial}`;
  }

  /** A node that is no place. */
  otherNode(lon: number, lat: number): void {
    this.#node({ id: this.#nextNode++, lon, lat, tags: { highway: 'crossing' } });
    this.untagged++;
  }

  close(): void {
    this.#flushNodes();
    for (let at = 0; at < this.#ways.length; at += BLOCK)
      this.#group(this.#ways.slice(at, at + BLOCK), 3, writeWay);
    for (let at = 0; at < this.#relations.length; at += BLOCK)
      this.#group(this.#relations.slice(at, at + BLOCK), 4, writeRelation);
    this.count += this.#ways.length + this.#relations.length;
    this.#out.close();
  }

  #ring(ring: Float64Array): number[] {
    const refs: number[] = [];
    for (let i = 0; i < ring.length - 2; i += 2) {
      refs.push(this.#nextNode);
      this.untagged++;
      this.#node({ id: this.#nextNode++, lon: ring[i]!, lat: ring[i + 1]!, tags: null });
    }
    return [...refs, refs[0]!];
  }

  #untaggedWay(refs: readonly number[]): number {
    this.#ways.push({ id: this.#nextWay, refs, tags: null });
    this.untagged++;
    return this.#nextWay++;
  }

  #node(node: Node): void {
    this.#nodes.push(node);
    this.count++;
    if (this.#nodes.length === BLOCK) this.#flushNodes();
  }

  #flushNodes(): void {
    if (this.#nodes.length > 0) this.#group([this.#nodes.sort((a, b) => a.id - b.id)], 2, writeDense);
    this.#nodes = [];
  }

  #group<T>(items: readonly T[], tag: number, write: (item: T, pbf: PbfWriter, texts: Texts) => void): void {
    const texts = new Texts();
    const group = new PbfWriter();
    for (const item of items) {
      const message = new PbfWriter();
      write(item, message, texts);
      group.writeBytesField(tag, message.finish());
    }
    const table = new PbfWriter();
    for (const text of texts.list) table.writeStringField(1, text);
    const block = new PbfWriter();
    block.writeBytesField(1, table.finish());
    block.writeBytesField(2, group.finish());
    this.#blob('OSMData', block.finish());
  }

  #blob(type: string, content: Uint8Array): void {
    const blob = new PbfWriter();
    blob.writeVarintField(2, content.length);
    blob.writeBytesField(3, deflateSync(content));
    const bytes = blob.finish();
    const header = new PbfWriter();
    header.writeStringField(1, type);
    header.writeVarintField(3, bytes.length);
    const head = header.finish();
    const length = Buffer.alloc(4);
    length.writeUInt32BE(head.length);
    for (const part of [length, head, bytes]) this.#out.append(part);
  }
}

const deltas = (values: readonly number[]): number[] =>
  values.map((value, i) => value - (values[i - 1] ?? 0));

function writeDense(nodes: readonly Node[], pbf: PbfWriter, texts: Texts): void {
  pbf.writePackedSVarint(1, deltas(nodes.map(({ id }) => id)));
  pbf.writePackedSVarint(8, deltas(nodes.map(({ lat }) => Math.round(lat * UNITS))));
  pbf.writePackedSVarint(9, deltas(nodes.map(({ lon }) => Math.round(lon * UNITS))));
  const pairs = nodes.flatMap(({ tags }) => [
    ...Object.entries(tags ?? {}).flatMap(([key, value]) => [texts.of(key), texts.of(value)]),
    0,
  ]);
  pbf.writePackedVarint(10, pairs);
}

function writeTags(tags: Readonly<Record<string, string>> | null, pbf: PbfWriter, texts: Texts): void {
  if (tags === null) return;
  pbf.writePackedVarint(
    2,
    Object.keys(tags).map((key) => texts.of(key)),
  );
  pbf.writePackedVarint(
    3,
    Object.values(tags).map((value) => texts.of(value)),
  );
}

function writeWay({ id, refs, tags }: Way, pbf: PbfWriter, texts: Texts): void {
  pbf.writeVarintField(1, id);
  writeTags(tags, pbf, texts);
  pbf.writePackedSVarint(8, deltas(refs));
}

/** Ways of the first ring, two halves, are outer; all others inner. */
function writeRelation({ id, ways, tags }: Relation, pbf: PbfWriter, texts: Texts): void {
  pbf.writeVarintField(1, id);
  writeTags(tags, pbf, texts);
  pbf.writePackedVarint(
    8,
    ways.map((_, i) => texts.of(i < 2 ? 'outer' : 'inner')),
  );
  pbf.writePackedSVarint(9, deltas(ways));
  pbf.writePackedVarint(
    10,
    ways.map(() => 1),
  );
}
