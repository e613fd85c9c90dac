const names = (text: string): string[] => text.split(',').map((name) => name.trim());

/** The serving tables of `--tables`, joined by commas; without the flag, no list. */
export const tablesFlag = ({ tables }: { tables?: string }): { tables?: string[] } =>
  tables === undefined ? {} : { tables: names(tables) };

/** Datasets and stages of `--only` and `--skip`, each joined by commas. */
export const selectorFlags = ({
  only,
  skip,
}: {
  only?: string;
  skip?: string;
}): { only?: string[]; skip?: string[] } => ({
  ...(only === undefined ? {} : { only: names(only) }),
  ...(skip === undefined ? {} : { skip: names(skip) }),
});
