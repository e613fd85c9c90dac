/** Columns that decide whether an address is served. */
interface ServedFlags {
  is_live: boolean;
  alias_principal: string;
}

/** Returns whether an address is served: live principals are. Aliases and retired addresses are kept as records for matching. */
export const isServed = (row: ServedFlags): boolean => row.is_live && row.alias_principal === 'P';

/** Returns the drop of addresses that are not served. */
export function notServed(all: readonly unknown[], served: readonly unknown[]): Record<string, number> {
  const others = all.length - served.length;
  const drops: Record<string, number> = others > 0 ? { alias_or_retired: others } : {};
  return drops;
}
