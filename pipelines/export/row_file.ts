/** A file that takes the rows of a table in their order. */
export interface RowFile {
  add(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** Writes what is left and closes it. */
  end(): Promise<void>;
}
