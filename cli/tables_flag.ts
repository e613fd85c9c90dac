/** The serving tables of `--tables`, joined by commas; without the flag, no list. */
export const tablesFlag = ({ tables }: { tables?: string }): { tables?: string[] } =>
  tables === undefined ? {} : { tables: tables.split(',').map((name) => name.trim()) };
