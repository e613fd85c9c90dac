import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { open } from 'shapefile';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { multiPolygon } from '../shapes.ts';

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../../../shared/data/yarra/${name}`, import.meta.url));

/** False where the optional real data is not on this machine; says so once. */
export const haveYarra = existsSync(pathOf('expected/adjoining.csv'));
if (!haveYarra) console.warn('shared/data/yarra is absent: tests against real parcels are skipped');

/** A parcel of the Yarra cadastre with the attributes the tests need; coordinates are GDA2020 degrees. */
export interface YarraParcel {
  id: string;
  address: string;
  lon: number;
  lat: number;
  lot_size: number;
  geometry: MultiPolygon;
}

export async function readYarraParcels(): Promise<YarraParcel[]> {
  const source = await open(pathOf('cadastre/yarra_parcels.shp'), pathOf('cadastre/yarra_parcels.dbf'), {
    encoding: 'utf-8',
  });
  const parcels: YarraParcel[] = [];
  for (;;) {
    const { done, value } = await source.read();
    if (done) return parcels;
    const { geometry, properties } = value;
    const p = properties as Record<string, string | number>;
    const polygons =
      geometry.type === 'Polygon'
        ? [geometry.coordinates]
        : geometry.type === 'MultiPolygon'
          ? geometry.coordinates
          : [];
    parcels.push({
      id: String(p.id_stock),
      address: String(p.address),
      lon: Number(p.lon),
      lat: Number(p.lat),
      lot_size: Number(p.lot_size),
      geometry: multiPolygon(polygons as [number, number][][][]),
    });
  }
}

/** Rows of one of the expected files, all values as text. */
export function readExpected(name: string): Record<string, string>[] {
  return parse(readFileSync(pathOf(`expected/${name}`)), { columns: true, bom: true });
}
