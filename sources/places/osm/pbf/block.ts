import { PbfReader } from 'pbf';
import type { Tags } from '../tag_rules.ts';

/** Receives the objects of a block; `tags` is null for an object with none of the requested keys. */
export interface BlockVisitor {
  node?(id: number, lon: number, lat: number, tags: Tags | null): void;
  /** `refs` are node ids, valid until the call returns. `lons` and `lats` are theirs in degrees; empty: not stated. */
  way?(
    id: number,
    refs: readonly number[],
    tags: Tags | null,
    lons: readonly number[],
    lats: readonly number[],
  ): void;
  relation?(id: number, members: RelationMembers, tags: Tags | null): void;
}

/** Members of a relation, in parallel arrays. */
interface RelationMembers {
  readonly ids: readonly number[];
  /** 0: node, 1: way, 2: relation. */
  readonly types: readonly number[];
  role(i: number): string;
}

/** Number of objects of each kind in a block. */
export interface BlockCounts {
  node: number;
  way: number;
  relation: number;
}

/** Counts the numbers of a packed field without decoding them. */
function packedCount(pbf: PbfReader): number {
  const end = pbf.readVarint() + pbf.pos;
  if (end > pbf.length) throw new RangeError('a list reaches beyond its block');
  let count = 0;
  for (; pbf.pos < end; pbf.pos++) if (pbf.buf[pbf.pos]! < 0x80) count++;
  return count;
}

/** Counts the objects of a block by kind. Throws if the bytes are not a block. */
export function countBlock(bytes: Uint8Array): BlockCounts {
  const counts: BlockCounts = { node: 0, way: 0, relation: 0 };
  new PbfReader(bytes).readFields((tag, into, pbf) => {
    if (tag === 2) pbf.readMessage(countGroup, into);
  }, counts);
  return counts;
}

function countGroup(tag: number, counts: BlockCounts, pbf: PbfReader): void {
  if (tag === 1) counts.node++;
  else if (tag === 3) counts.way++;
  else if (tag === 4) counts.relation++;
  else if (tag === 2) {
    pbf.readMessage((inner, into, dense) => {
      if (inner === 1) into.node += packedCount(dense);
    }, counts);
  }
}

/** Maximum bytes of a key that is read. */
const MAX_KEY_BYTES = 32;

/** Texts of a block, decoded when they are requested. */
class Strings {
  readonly #places: [start: number, end: number][] = [];
  readonly #bytes: Buffer;
  readonly #decoded = new Map<number, string>();
  #isKey = new Uint8Array();

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  read(tag: number, _: unknown, pbf: PbfReader): void {
    if (tag !== 1) return;
    const end = pbf.readVarint() + pbf.pos;
    if (end > pbf.length) throw new RangeError('a text reaches beyond its block');
    this.#places.push([pbf.pos, end]);
    pbf.pos = end;
  }

  /** Marks the texts that are among the keys. */
  mark(keys: ReadonlySet<string>): void {
    this.#isKey = Uint8Array.from(this.#places, ([start, end]) =>
      end - start <= MAX_KEY_BYTES && keys.has(this.#bytes.toString('latin1', start, end)) ? 1 : 0,
    );
  }

  isKey(at: number): boolean {
    return this.#isKey[at] === 1;
  }

  at(index: number): string {
    const decoded = this.#decoded.get(index);
    if (decoded !== undefined) return decoded;
    const blob = this.#places[index];
    if (blob === undefined) throw new RangeError(`text ${index} of ${this.#places.length}`);
    const text = this.#bytes.toString('utf8', blob[0], blob[1]);
    this.#decoded.set(index, text);
    return text;
  }
}

/** Reads the objects of one unpacked block that the visitor handles. Throws if the bytes contradict themselves. */
export function visitBlock(bytes: Uint8Array, keys: ReadonlySet<string>, visitor: BlockVisitor): void {
  new BlockReader(bytes, keys, visitor).run();
}

class BlockReader {
  readonly #bytes: Uint8Array;
  readonly #strings: Strings;
  readonly #keys: ReadonlySet<string>;
  readonly #visitor: BlockVisitor;
  #granularity = 100;
  #lat0 = 0;
  #lon0 = 0;

  constructor(bytes: Uint8Array, keys: ReadonlySet<string>, visitor: BlockVisitor) {
    this.#bytes = bytes;
    this.#strings = new Strings(bytes);
    this.#keys = keys;
    this.#visitor = visitor;
  }

  run(): void {
    const groups: number[] = [];
    // the scale of coordinates may follow the groups
    new PbfReader(this.#bytes).readFields((tag, _, pbf) => {
      if (tag === 1) pbf.readMessage((...field) => this.#strings.read(...field), null);
      else if (tag === 2) groups.push(pbf.pos);
      else if (tag === 17) this.#granularity = pbf.readVarint();
      else if (tag === 19) this.#lat0 = pbf.readVarint(true);
      else if (tag === 20) this.#lon0 = pbf.readVarint(true);
    }, null);
    this.#strings.mark(this.#keys);
    for (const at of groups) {
      const pbf = new PbfReader(this.#bytes);
      pbf.pos = at;
      pbf.readMessage((tag, _, group) => this.#group(tag, group), null);
    }
  }

  #group(tag: number, pbf: PbfReader): void {
    const { node, way, relation } = this.#visitor;
    if (tag === 1 && node) this.#node(pbf);
    else if (tag === 2 && node) this.#dense(pbf);
    else if (tag === 3 && way) this.#readWay(pbf);
    else if (tag === 4 && relation) this.#relation(pbf);
  }

  /**
   * Converts a stored coordinate to degrees. Exact integers are divided once, so the result is the nearest double of the decimal number.
   */
  #degrees(offset: number, value: number): number {
    return (offset + this.#granularity * value) / 1e9;
  }

  #tags(keys: readonly number[], values: readonly number[]): Tags | null {
    if (keys.length !== values.length)
      throw new RangeError(`${keys.length} keys and ${values.length} values`);
    if (!keys.some((key) => this.#strings.isKey(key))) return null;
    const tags: Record<string, string> = {};
    for (const [i, key] of keys.entries()) tags[this.#strings.at(key)] = this.#strings.at(values[i]!);
    return tags;
  }

  #node(pbf: PbfReader): void {
    const node = { id: 0, lat: 0, lon: 0, keys: [] as number[], values: [] as number[] };
    pbf.readMessage((tag, into, field) => {
      if (tag === 1) into.id = field.readSVarint();
      else if (tag === 2) field.readPackedVarint(into.keys);
      else if (tag === 3) field.readPackedVarint(into.values);
      else if (tag === 8) into.lat = field.readSVarint();
      else if (tag === 9) into.lon = field.readSVarint();
    }, node);
    const [lon, lat] = [this.#degrees(this.#lon0, node.lon), this.#degrees(this.#lat0, node.lat)];
    this.#visitor.node!(node.id, lon, lat, this.#tags(node.keys, node.values));
  }

  #dense(pbf: PbfReader): void {
    const dense = { ids: [] as number[], lats: [] as number[], lons: [] as number[], tags: [] as number[] };
    pbf.readMessage((tag, into, field) => {
      if (tag === 1) field.readPackedSVarint(into.ids);
      else if (tag === 8) field.readPackedSVarint(into.lats);
      else if (tag === 9) field.readPackedSVarint(into.lons);
      else if (tag === 10) field.readPackedVarint(into.tags);
    }, dense);
    const { ids, lats, lons, tags } = dense;
    if (ids.length !== lats.length || ids.length !== lons.length)
      throw new RangeError(`${ids.length} nodes with ${lats.length} latitudes and ${lons.length} longitudes`);
    let [id, lat, lon, at] = [0, 0, 0, 0];
    for (let i = 0; i < ids.length; i++) {
      id += ids[i]!;
      lat += lats[i]!;
      lon += lons[i]!;
      let ownTags: Tags | null = null;
      if (at < tags.length) {
        const end = tags.indexOf(0, at);
        if (end < 0) throw new RangeError('the tags of the last node have no end');
        if (end > at) ownTags = this.#pairs(tags, at, end);
        at = end + 1;
      }
      this.#visitor.node!(id, this.#degrees(this.#lon0, lon), this.#degrees(this.#lat0, lat), ownTags);
    }
  }

  #pairs(list: readonly number[], from: number, to: number): Tags | null {
    const keys: number[] = [];
    const values: number[] = [];
    for (let i = from; i < to; i++) ((i - from) % 2 === 0 ? keys : values).push(list[i]!);
    return this.#tags(keys, values);
  }

  #readWay(pbf: PbfReader): void {
    const parsedWay = {
      id: 0,
      keys: [] as number[],
      values: [] as number[],
      refs: [] as number[],
      lats: [] as number[],
      lons: [] as number[],
    };
    pbf.readMessage((tag, into, field) => {
      if (tag === 1) into.id = field.readVarint(true);
      else if (tag === 2) field.readPackedVarint(into.keys);
      else if (tag === 3) field.readPackedVarint(into.values);
      else if (tag === 8) field.readPackedSVarint(into.refs);
      else if (tag === 9) field.readPackedSVarint(into.lats);
      else if (tag === 10) field.readPackedSVarint(into.lons);
    }, parsedWay);
    const { refs, lats, lons } = parsedWay;
    if (lats.length !== lons.length || (lats.length > 0 && lats.length !== refs.length))
      throw new RangeError(
        `a way of ${refs.length} nodes with ${lats.length} latitudes and ${lons.length} longitudes`,
      );
    const degrees = (offset: number, deltas: number[]): number[] =>
      summed(deltas).map((value) => this.#degrees(offset, value));
    this.#visitor.way!(
      parsedWay.id,
      summed(refs),
      this.#tags(parsedWay.keys, parsedWay.values),
      degrees(this.#lon0, lons),
      degrees(this.#lat0, lats),
    );
  }

  #relation(pbf: PbfReader): void {
    const parsedRelation = {
      id: 0,
      keys: [] as number[],
      values: [] as number[],
      roles: [] as number[],
      ids: [] as number[],
      types: [] as number[],
    };
    pbf.readMessage((tag, into, field) => {
      if (tag === 1) into.id = field.readVarint(true);
      else if (tag === 2) field.readPackedVarint(into.keys);
      else if (tag === 3) field.readPackedVarint(into.values);
      else if (tag === 8) field.readPackedVarint(into.roles);
      else if (tag === 9) field.readPackedSVarint(into.ids);
      else if (tag === 10) field.readPackedVarint(into.types);
    }, parsedRelation);
    const { roles, types } = parsedRelation;
    if (roles.length !== parsedRelation.ids.length || types.length !== parsedRelation.ids.length)
      throw new RangeError(
        `a relation of ${parsedRelation.ids.length} members with ${roles.length} roles and ${types.length} types`,
      );
    const members = {
      ids: summed(parsedRelation.ids),
      types,
      role: (i: number) => this.#strings.at(roles[i]!),
    };
    this.#visitor.relation!(
      parsedRelation.id,
      members,
      this.#tags(parsedRelation.keys, parsedRelation.values),
    );
  }
}

/** Converts differences to values, in place. */
function summed(deltas: number[]): number[] {
  for (let i = 1; i < deltas.length; i++) deltas[i] = deltas[i]! + deltas[i - 1]!;
  return deltas;
}
