/** The columns that decide whether an address is served. */
interface Served {
  is_live: boolean;
  alias_principal: string;
}

/** Live principals are served; aliases and retired addresses are kept as records for matching. */
export const isServed = (row: Served): boolean => row.is_live && row.alias_principal === 'P';

/** Name of the drop of an address that is not served. */
export const servedDrop = (row: Served): string => (row.is_live ? 'alias' : 'retired');
