import { groupBy } from '../../../schema/group_by.ts';
import type { meshBlockAllocationRecord } from '../../../schema/records/allocation.ts';
import type { Row } from '../../../schema/table.ts';
import { buildPointLookup, type PointLookup } from '../../../transforms/geo/point_lookup.ts';
import {
  allocatedMeshBlock,
  editionOfYear,
  type LocatingRegion,
  type Location,
  locate,
} from '../../../transforms/regions/locate.ts';
import { type AreasByMeshBlock, meshBlockKey } from './mesh_block_areas.ts';

type Allocation = Pick<
  Row<typeof meshBlockAllocationRecord>,
  'edition' | 'mesh_block' | 'level' | 'year' | 'code' | 'name'
>;

interface AddressLocation {
  lon: number | null;
  lat: number | null;
  mesh_block: string | null;
  mesh_block_year: number | null;
}

/** A location, and what addresses must share to have it: mesh block and region pieces. */
interface LocationGroup {
  readonly mesh_block: string | null;
  readonly year: number | null;
  readonly pieces: Uint32Array;
  readonly location: Location;
}

/** Returns the newest boundary of each mesh block, by edition and code. */
function newestMeshBlocks(regions: readonly LocatingRegion[]): Map<string, LocatingRegion> {
  const newest = new Map<string, LocatingRegion>();
  for (const region of regions) {
    const key = meshBlockKey(region.edition, region.code);
    const newestYear = newest.get(key);
    if (!newestYear || region.year > newestYear.year) newest.set(key, region);
  }
  return newest;
}

/** Returns a hash of piece numbers, small enough for an unboxed integer. */
function hashOf(pieces: Uint32Array, count: number): number {
  let hash = count;
  for (let k = 0; k < count; k++) hash = (Math.imul(hash, 31) + pieces[k]!) | 0;
  return hash & 0x3fffffff;
}

function startsWith(pieces: Uint32Array, others: Uint32Array): boolean {
  for (let k = 0; k < others.length; k++) if (pieces[k] !== others[k]) return false;
  return true;
}

/** Locates addresses. Addresses of one mesh block inside the same region pieces share one location, computed once. */
export class AddressLocator {
  readonly #regions: readonly LocatingRegion[];
  readonly #lookup: PointLookup;
  readonly #meshBlocks: Map<string, LocatingRegion>;
  readonly #allocations: Map<string, Allocation[]>;
  readonly #areas: AreasByMeshBlock;
  /** If false, there is no mesh block data and mesh blocks do not affect the location. */
  readonly #hasMeshBlocks: boolean;
  readonly #located = new Map<number, LocationGroup[]>();

  /**
   * `pieces`: region pieces of the cell. `meshBlocks`, `allocations`: data on the mesh blocks of its addresses. `areas`: suburbs, LGAs and
   * postal areas of mesh blocks, for addresses without coordinates.
   */
  constructor(
    pieces: readonly (LocatingRegion & { geom: Uint8Array })[],
    meshBlocks: readonly LocatingRegion[],
    allocations: readonly Allocation[],
    areas: AreasByMeshBlock,
  ) {
    this.#regions = pieces;
    this.#lookup = buildPointLookup(pieces.map((piece) => piece.geom));
    this.#meshBlocks = newestMeshBlocks(meshBlocks);
    this.#allocations = groupBy(allocations, (row) => row.mesh_block);
    this.#areas = areas;
    this.#hasMeshBlocks = meshBlocks.length + allocations.length + areas.size > 0;
  }

  locate({ lon, lat, mesh_block, mesh_block_year }: AddressLocation): Location {
    const count = lon === null ? 0 : this.#lookup.find(lon, lat!);
    const { found } = this.#lookup;
    const hash = hashOf(found, count);
    let list = this.#located.get(hash);
    if (list === undefined) {
      list = [];
      this.#located.set(hash, list);
    }
    for (const knownPiece of list) {
      const isOfMeshBlock =
        !this.#hasMeshBlocks || (knownPiece.mesh_block === mesh_block && knownPiece.year === mesh_block_year);
      if (isOfMeshBlock && knownPiece.pieces.length === count && startsWith(found, knownPiece.pieces))
        return knownPiece.location;
    }
    const pieces = found.slice(0, count);
    const atPoint = Array.from(pieces, (i) => this.#regions[i]!);
    const location = this.#locationOf(mesh_block, mesh_block_year, lon === null ? null : atPoint);
    list.push({ mesh_block, year: mesh_block_year, pieces, location });
    return location;
  }

  /** `atPoint`: regions that contain the point; null: the address has none, so the areas of its mesh block take their place. */
  #locationOf(
    mesh_block: string | null,
    year: number | null,
    atPoint: readonly LocatingRegion[] | null,
  ): Location {
    if (mesh_block === null) return locate(null, atPoint ?? []);
    const allocated = this.#allocations.get(mesh_block) ?? [];
    const key = meshBlockKey(editionOfYear(year!), mesh_block);
    const region =
      this.#meshBlocks.get(key) ?? allocatedMeshBlock(mesh_block, editionOfYear(year!), allocated);
    return locate(region, atPoint ?? this.#areas.get(key)?.areas ?? [], allocated);
  }
}
