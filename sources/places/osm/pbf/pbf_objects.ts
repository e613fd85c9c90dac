import { type FileHandle, open } from 'node:fs/promises';
import { PbfReader } from 'pbf';
import { EtlError } from '../../../../schema/errors.ts';
import { type Bbox, expandBbox, inAustralia, unionBox } from '../../../../schema/grid.ts';
import { assemblePoints } from '../../../../transforms/geo/lines.ts';
import { missingFile } from '../../../formats/archive/zip.ts';
import type { Shape } from '../../../formats/feature.ts';
import { shapeOf } from '../../../formats/vector/feature_shape.ts';
import type { OsmObject } from '../osm_object.ts';
import { ringsOfWays } from '../rings_of_ways.ts';
import type { TagRules, Tags } from '../tag_rules.ts';
import { type BlobPlace, badPbf, listBlobs, readBlob, readBlobs } from './blobs.ts';
import { type BlockVisitor, countBlock, visitBlock } from './block.ts';
import { WayStore } from './way_store.ts';

const BATCH = 512;
/** Maximum distance of the missing part of an object from its nodes in the file, metres: an assumption. */
const UNKNOWN_PART_M = 1000;
const MAX_OBJECTS = 2 ** 31 - 1;
/** Supported features of a file that change how it must be read. */
const KNOWN_FEATURES = new Set(['OsmSchema-V0.6', 'DenseNodes', 'Sort.Type_then_ID', 'LocationsOnWays']);
const KINDS = ['node', 'way', 'relation'] as const;
type OsmKind = (typeof KINDS)[number];

/** A block with the number of its first object of each kind. */
type Block = BlobPlace & {
  readonly first: Readonly<Record<OsmKind, number>>;
  readonly has: Readonly<Record<OsmKind, boolean>>;
};

interface KeptRelation {
  readonly id: number;
  readonly no: number;
  readonly tags: Tags;
  /** Ways of its outlines and holes; null: not an area. */
  readonly ways: readonly number[] | null;
  readonly holes: ReadonlySet<number>;
}

/**
 * Reads the places of an .osm.pbf in four passes: counts of its blocks; relations; ways; nodes. Ways that
 * state locations are read twice. A pass does not unpack blocks that lack its
 * objects. Memory: tags of the matching objects, 24 bytes for each node of their outlines.
 */
export class PbfObjects {
  readonly #handle: FileHandle;
  readonly #file: string;
  readonly #rules: TagRules;
  readonly #blocks: Block[] = [];
  readonly #wayStore = new WayStore();
  readonly #relations: KeptRelation[] = [];
  /** Ways that relations need. */
  readonly #needed = new Set<number>();
  /** True: ways state the locations of their nodes. */
  #hasLocations = false;
  /** Number of objects in the file. */
  count = 0;

  private constructor(handle: FileHandle, file: string, rules: TagRules) {
    this.#handle = handle;
    this.#file = file;
    this.#rules = rules;
  }

  /** Opens a file. EtlErrors: `missing_file`, `bad_osm_pbf`. */
  static async open(path: string, file: string, rules: TagRules): Promise<PbfObjects> {
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw missingFile(path, error);
    });
    return new PbfObjects(handle, file, rules);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** Reads the header block only, to check the file. */
  async check(): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size === 0) throw badPbf(this.#file, 'the file is empty');
    for await (const blob of listBlobs(this.#handle, this.#file, size)) {
      await this.#header(blob);
      return;
    }
  }

  async #header(blob: BlobPlace): Promise<void> {
    if (blob.type !== 'OSMHeader')
      throw badPbf(this.#file, `its first block is ${JSON.stringify(blob.type.slice(0, 20))}, not OSMHeader`);
    const features: string[] = [];
    const bytes = await readBlob(this.#handle, this.#file, blob);
    this.#guard(() =>
      new PbfReader(bytes).readFields((tag, into, pbf) => {
        if (tag === 4) into.push(pbf.readString());
      }, features),
    );
    const unknown = features.filter((feature) => !KNOWN_FEATURES.has(feature));
    if (unknown.length > 0)
      throw badPbf(
        this.#file,
        `it needs ${unknown.join(', ').slice(0, 200)}, which is not understood; convert it with osmium cat`,
      );
  }

  /** Yields the objects with a key of the rules, in batches: nodes, relations, ways. */
  async *objects(signal?: AbortSignal): AsyncGenerator<OsmObject[]> {
    await this.#index(signal);
    await this.#pass('relation', signal, (block) => this.#relationVisitor(block));
    await this.#pass('way', signal, (block) => this.#wayVisitor(block));
    this.#wayStore.seal();
    if (this.#hasLocations) await this.#pass('way', signal, () => this.#locationVisitor());
    yield* this.#nodes(signal);
    yield* batches(this.#relations, (relation) => this.#relationObject(relation));
    const tagged = this.#wayStore.ways.filter(({ tags }) => tags !== null);
    yield* batches(tagged, (way) => ({
      no: way.no,
      id: `way/${way.id}`,
      tags: way.tags!,
      shape: () => this.#wayShape(this.#wayStore.nodes(way)),
    }));
  }

  #guard<T>(parse: () => T): T {
    try {
      return parse();
    } catch (cause) {
      throw badPbf(this.#file, `a block cannot be read (${(cause as Error).message})`, cause);
    }
  }

  async #index(signal: AbortSignal | undefined): Promise<void> {
    const { size } = await this.#handle.stat();
    const places: BlobPlace[] = [];
    for await (const blobPlace of listBlobs(this.#handle, this.#file, size)) {
      if (blobPlace.type === 'OSMData') places.push(blobPlace);
    }
    const counts: Record<OsmKind, number>[] = [];
    for await (const { bytes } of readBlobs(this.#handle, this.#file, places, signal))
      counts.push(this.#guard(() => countBlock(bytes)));
    const next = { node: 1, way: 1, relation: 1 };
    const total = (kind: OsmKind): number => counts.reduce((sum, each) => sum + each[kind], 0);
    next.way += total('node');
    next.relation += total('node') + total('way');
    this.count = total('node') + total('way') + total('relation');
    if (this.count > MAX_OBJECTS) throw tooLarge(this.#file, this.count);
    for (const [i, place] of places.entries()) {
      const blockCounts = counts[i]!;
      const has = {
        node: blockCounts.node > 0,
        way: blockCounts.way > 0,
        relation: blockCounts.relation > 0,
      };
      this.#blocks.push({ ...place, first: { ...next }, has });
      for (const kind of KINDS) next[kind] += blockCounts[kind];
    }
  }

  /** Visits the blocks that hold objects of a kind. */
  async #pass(
    kind: OsmKind,
    signal: AbortSignal | undefined,
    visitor: (block: Block) => BlockVisitor,
  ): Promise<void> {
    const blocks = this.#blocks.filter(({ has }) => has[kind]);
    for await (const { index, bytes } of readBlobs(this.#handle, this.#file, blocks, signal))
      this.#guard(() => visitBlock(bytes, this.#rules.keys, visitor(blocks[index]!)));
  }

  #relationVisitor({ first }: Block): BlockVisitor {
    let no = first.relation;
    return {
      relation: (id, { ids, types, role }, tags) => {
        const objectNo = no++;
        if (tags === null || this.#rules.categoriesOf(tags).length === 0) return;
        const isArea = tags.type === 'multipolygon' || tags.type === 'boundary';
        const memberWays = ids.filter((_, i) => types[i] === 1 && ['', 'outer', 'inner'].includes(role(i)));
        if (isArea) for (const wayId of memberWays) this.#needed.add(wayId);
        const holes = new Set(ids.filter((_, i) => types[i] === 1 && role(i) === 'inner'));
        this.#relations.push({ id, no: objectNo, tags, ways: isArea ? memberWays : null, holes });
      },
    };
  }

  #wayVisitor({ first }: Block): BlockVisitor {
    let no = first.way;
    return {
      way: (id, refs, tags, lons) => {
        const relationNo = no++;
        this.#hasLocations ||= lons.length > 0;
        const isPlace = tags !== null && this.#rules.categoriesOf(tags).length > 0;
        if (isPlace || this.#needed.has(id)) this.#wayStore.add(id, relationNo, refs, isPlace ? tags : null);
      },
    };
  }

  /** Places the nodes of ways that state their locations (osmium add-locations-to-ways); such files lack untagged nodes. */
  #locationVisitor(): BlockVisitor {
    return {
      way: (_id, refs, _tags, lons, lats) => {
        for (const [i, lon] of lons.entries()) {
          const lat = lats[i]!;
          // osmium writes positions off the earth for nodes that it did not find
          if (Math.abs(lon) <= 180 && Math.abs(lat) <= 90) this.#wayStore.place(refs[i]!, lon, lat);
        }
      },
    };
  }

  async *#nodes(signal: AbortSignal | undefined): AsyncGenerator<OsmObject[]> {
    const blocks = this.#blocks.filter(({ has }) => has.node);
    for await (const { index, bytes } of readBlobs(this.#handle, this.#file, blocks, signal)) {
      const objects: OsmObject[] = [];
      let no = blocks[index]!.first.node;
      const node: BlockVisitor['node'] = (id, lon, lat, tags) => {
        const wayNo = no++;
        this.#wayStore.place(id, lon, lat);
        if (tags !== null)
          objects.push({ no: wayNo, id: `node/${id}`, tags, shape: () => pointShape(lon, lat) });
      };
      this.#guard(() => visitBlock(bytes, this.#rules.keys, { node }));
      if (objects.length > 0) yield objects;
    }
  }

  #wayShape(nodes: Float64Array): Shape {
    if (nodes.length < 4 || nodes[0] !== nodes[nodes.length - 1])
      return this.#rejected('open_ring', 'the way does not close', [nodes]);
    return this.#polygon([nodes]);
  }

  #polygon(rings: readonly ArrayLike<number>[]): Shape {
    const ends: number[] = [];
    let vertices = 0;
    for (const ring of rings) {
      vertices += ring.length;
      ends.push(vertices);
    }
    const coords = new Float64Array(vertices * 2);
    let at = 0;
    for (const ring of rings) {
      const missing = this.#wayStore.coordinates(ring, coords, at);
      if (missing !== null)
        return this.#rejected('missing_member', `its node ${missing} is not in the file`, rings);
      at += ring.length * 2;
    }
    return shapeOf('polygon', coords, ends);
  }

  #relationObject({ id, no, tags, ways, holes: inner }: KeptRelation): OsmObject {
    const parts: string[] = [];
    const holes: string[] = [];
    for (const memberWay of ways ?? []) (inner.has(memberWay) ? holes : parts).push(`way/${memberWay}`);
    return { no, id: `relation/${id}`, tags, parts, holes, shape: () => this.#relationShape(ways) };
  }

  #relationShape(ids: readonly number[] | null): Shape {
    if (ids === null) return { kind: 'none' };
    const nodesOfWays = ids.map((way) => this.#wayStore.nodesOf(way));
    const knownWays = nodesOfWays.filter((nodes) => nodes !== null);
    const missing = ids.find((_, i) => nodesOfWays[i] === null);
    if (missing !== undefined)
      return this.#rejected('missing_member', `its way ${missing} is not in the file`, knownWays);
    const rings = ringsOfWays(knownWays);
    return rings === null
      ? this.#rejected('open_ring', 'its ways do not close to rings', knownWays)
      : this.#polygon(rings);
  }

  /** Builds the shape of a rejected object, with the surroundings of its nodes that are in the file. */
  #rejected(code: string, message: string, rings: readonly ArrayLike<number>[]): Shape {
    const point = new Float64Array(2);
    let box: Bbox | null = null;
    for (const ring of rings)
      for (let i = 0; i < ring.length; i++) {
        if (this.#wayStore.coordinates([ring[i]!], point, 0) !== null) continue;
        const [lon, lat] = point as unknown as [number, number];
        if (!inAustralia(lon, lat)) continue;
        box = box === null ? [lon, lat, lon, lat] : unionBox([box, [lon, lat, lon, lat]]);
      }
    const extent = box === null ? undefined : expandBbox(box, UNKNOWN_PART_M);
    return { kind: 'reject', reject: { code, message, extent } };
  }
}

const tooLarge = (file: string, count: number): EtlError =>
  new EtlError(
    'file_too_large',
    `${file}: ${count} objects; up to ${MAX_OBJECTS} are read. Cut out Australia with: osmium extract`,
    { details: { file } },
  );

function pointShape(lon: number, lat: number): Shape {
  const { geometry, reject } = assemblePoints(Float64Array.of(lon, lat));
  return reject === undefined ? { kind: 'point', geometry } : { kind: 'reject', reject };
}

function* batches<T>(from: readonly T[], make: (each: T) => OsmObject): Iterable<OsmObject[]> {
  for (let at = 0; at < from.length; at += BATCH) yield from.slice(at, at + BATCH).map(make);
}
