import { SALES_MAPS } from '../../sources/sales_csv/options.ts';

/** Properties of a dataset that decide its role. */
interface Dataset {
  readonly adapter: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Adapters limited to one dataset for each area: a second one would publish the same features twice. */
const ONE_OF: ReadonlySet<string> = new Set(['gnaf', 'cadastre', 'zoning', 'schools']);

const NO_GNAF = 'no G-NAF: no addresses, so no properties are published';

/** Returns a note if a configuration has datasets but no G-NAF; else none. */
export function gnafNotes(datasets: Readonly<Record<string, { readonly adapter: string }>>): string[] {
  const adapters = Object.values(datasets).map(({ adapter }) => adapter);
  return adapters.length === 0 || adapters.includes('gnaf') ? [] : [`Not there: ${NO_GNAF}.`];
}

/** What a country needs: how to identify such datasets, and what is missing without any. */
const NEEDS: readonly { readonly is: (dataset: Dataset) => boolean; readonly without: string }[] = [
  { is: ({ adapter }) => adapter === 'gnaf', without: NO_GNAF },
  {
    is: ({ adapter }) => adapter === 'asgs',
    without: 'no boundaries (ASGS): no suburbs, councils or statistical areas',
  },
  {
    is: ({ adapter }) => adapter === 'cadastre',
    without: 'no cadastre: no land area, no neighbours, hazards from the point',
  },
  { is: ({ adapter }) => adapter === 'zoning', without: 'no planning zones' },
  ...['flood', 'bushfire'].map((layer) => ({
    is: ({ adapter, options }: Dataset) => adapter === 'hazards' && options.layer === layer,
    without: `no ${layer} layer: unknown for every property`,
  })),
  { is: ({ adapter }) => adapter === 'schools', without: 'no schools' },
  { is: ({ adapter }) => adapter === 'stops' || adapter === 'gtfs', without: 'no public transport' },
  { is: ({ adapter }) => adapter === 'census', without: 'no Census: no demographics' },
  {
    is: ({ adapter }) => ['sales_csv', 'nsw_psi', 'listings', 'reaxml'].includes(adapter),
    without: 'no sales or listings: no valuations, no comparables',
  },
];

/** Returns what the publication will lack: a sentence for each need without a dataset, or with open questions on all of its datasets. */
export function missingNeeds(
  datasets: readonly (Dataset & { readonly question: string | null })[],
): string[] {
  return NEEDS.flatMap(({ is, without }) => {
    const matching = datasets.filter(is);
    if (matching.some(({ question }) => question === null)) return [];
    return matching.length === 0 ? without : `${without}; a question on it is open`;
  });
}

/** Returns the role that only one dataset may have in an area; null: any number may. */
export const roleOf = ({ adapter, options }: Dataset): string | null =>
  ONE_OF.has(adapter) ? `${adapter} ${options.state ?? ''}` : null;

/** Returns known terms of use of a sales table, by its map, if no publisher licence covers it; null: none. */
export function termsOf({ adapter, options }: Dataset): string | null {
  const map = adapter === 'sales_csv' && typeof options.field_map === 'string' ? options.field_map : '';
  return Object.hasOwn(SALES_MAPS, map) ? SALES_MAPS[map]!.terms : null;
}
