import { cellOf } from '../../schema/grid.ts';
import type { PartialAddress } from './address_row.ts';
import type { SiteGeocodes } from './site_geocodes.ts';

export function setPoint(row: PartialAddress, lon: number, lat: number, type: string): void {
  row.lon = lon;
  row.lat = lat;
  row.geocode_type = type;
  row.cell = cellOf(lon, lat);
}

/** Addresses without a default geocode, and their sites. */
export class UnplacedAddresses {
  #unplaced: { row: PartialAddress; site: string | null }[] = [];
  readonly #sites: SiteGeocodes;
  /** Number of addresses for which no geocode was found. */
  unplaced = 0;

  constructor(sites: SiteGeocodes) {
    this.#sites = sites;
  }

  get size(): number {
    return this.#unplaced.length;
  }

  add(row: PartialAddress, site: string | null): void {
    // A copy, because a substring keeps its whole text block in memory.
    this.#unplaced.push(structuredClone({ row, site }));
  }

  /** Returns all waiting rows, each with its site's geocode if there is one. */
  async resolve(): Promise<PartialAddress[]> {
    const unplacedRows = this.#unplaced;
    this.#unplaced = [];
    if (unplacedRows.length === 0) return [];
    const points = await this.#sites.find(
      new Set(unplacedRows.flatMap(({ site }) => (site === null ? [] : [site]))),
    );
    return unplacedRows.map(({ row, site }) => {
      const point = site === null ? undefined : points.get(site);
      if (point === undefined) this.unplaced++;
      else setPoint(row, point.lon, point.lat, point.type);
      return row;
    });
  }
}
