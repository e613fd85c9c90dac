import { placePieceRecord } from '../../../schema/records/place.ts';
import type { Row } from '../../../schema/table.ts';
import { osmAdapter } from '../../../sources/places/osm/adapter.ts';
import { readPart } from '../conformance.ts';
import { releaseFolder } from '../release_folder.ts';

type Piece = Row<typeof placePieceRecord>;

/** What the adapter makes of one file, in short. */
export async function readOsm(
  name: string,
  bytes: Uint8Array | string,
  options: Record<string, unknown> = {},
) {
  const folder = await releaseFolder();
  try {
    await folder.write(name, bytes);
    const { release, parts } = await osmAdapter.discover(await folder.dataset({ id: 'osm', options }));
    const { rows, rejects, accounts } = await readPart(osmAdapter, release, parts[0]!);
    const pieces = (rows.get(placePieceRecord) ?? []) as unknown as Piece[];
    return {
      pieces,
      places: [...new Set(pieces.map(({ place_id, category, name }) => `${place_id} ${category} ${name}`))],
      rejects: rejects.map(({ at, code }) => `${at} ${code}`),
      account: accounts[0]!,
    };
  } finally {
    await folder.remove();
  }
}

/** A closed ring around a square. */
export const square = (x: number, y: number, size: number): [number, number][] => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
];

export const PARK = { leisure: 'park', name: 'Long Park' };
export const SHOP = { shop: 'supermarket', name: 'Freshway' };
