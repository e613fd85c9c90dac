import pg from 'pg';

/** A column of a statement's rows, and what makes a value of its text. */
interface Column {
  name: string;
  parse(text: string): unknown;
}

/** What the rows of a statement look like: its columns, and a row without values. */
interface Shape {
  columns: readonly Column[];
  empty: Readonly<Record<string, null>>;
}

/** The shapes of the statements that one connection has prepared, by their names. */
export type Shapes = Map<string, Shape>;

/** What a statement found. */
export interface Found {
  rows: Record<string, unknown>[];
  /** Of a labelled statement (of_publication.ts): the publication that the rows are of; null: nothing is published. */
  publication?: number | null;
}

/** A statement to read by. Without a name it is parsed, and its columns are asked for, each time. */
export interface ReadOptions {
  name: string | undefined;
  text: string;
  values: readonly unknown[];
  isLabelled: boolean;
}

type Values = readonly (string | null)[];

/** What of node-postgres's own statements and connections is built on here; its types leave it out. */
interface Wire {
  bind(config: { statement: string; values: readonly unknown[]; valueMapper(value: unknown): unknown }): void;
  execute(config: object): void;
  sync(): void;
}
const Query = pg.Query as unknown as new (
  config: object,
  values: undefined,
  callback: (error: Error | null) => void,
) => { prepare(connection: Wire): void };
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/**
 * A read of node-postgres that asks a connection for the columns of a prepared statement with its first execution, and not again with each:
 * of a read by key they are more bytes than its row. They stay as they are, since PostgreSQL fails a prepared statement whose columns have
 * become others.
 */
class PreparedRead extends Query {
  readonly #client: pg.ClientBase;
  readonly #options: ReadOptions;
  readonly #shapes: Shapes;
  readonly #settle: (error: Error | null, found: Found) => void;
  readonly #found: Found = { rows: [] };
  #shape: Shape | undefined;
  #failure: Error | null = null;

  constructor(
    client: pg.ClientBase,
    shapes: Shapes,
    options: ReadOptions,
    settle: (error: Error | null, found: Found) => void,
  ) {
    const { name, text, values } = options;
    super({ name, text, values, queryMode: 'extended' }, undefined, (error) => settle(error, { rows: [] }));
    this.#client = client;
    this.#options = options;
    this.#shapes = shapes;
    this.#settle = settle;
  }

  override prepare(connection: Wire): void {
    const { name, values } = this.#options;
    this.#shape = name === undefined ? undefined : this.#shapes.get(name);
    if (name === undefined || this.#shape === undefined) {
      super.prepare(connection);
    } else {
      connection.bind({ statement: name, values, valueMapper: prepareValue });
      connection.execute({});
      connection.sync();
    }
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const columns = fields.map(
      ({ name, dataTypeID }): Column => ({ name, parse: this.#client.getTypeParser(dataTypeID, 'text') }),
    );
    const own = this.#options.isLabelled ? columns.slice(2) : columns;
    this.#shape = { columns, empty: Object.fromEntries(own.map(({ name }) => [name, null])) };
    if (this.#options.name !== undefined) this.#shapes.set(this.#options.name, this.#shape);
  }

  handleDataRow({ fields }: { fields: Values }): void {
    if (this.#failure !== null) return;
    try {
      this.#take(this.#shape!, fields);
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  #take({ columns, empty }: Shape, values: Values): void {
    let first = 0;
    if (this.#options.isLabelled) {
      const [publication, found] = values as [string | null, string | null];
      this.#found.publication = publication === null ? null : Number(publication);
      if (found === null) return;
      first = 2;
    }
    const row: Record<string, unknown> = { ...empty };
    for (let i = first; i < columns.length; i++) {
      const text = values[i]!;
      const { name, parse } = columns[i]!;
      if (text !== null) row[name] = parse(text);
    }
    this.#found.rows.push(row);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#settle(this.#failure, this.#found);
  }
}

/** Reads by a statement on a connection, `shapes` being those of the connection. */
export async function readPrepared(
  client: pg.ClientBase,
  shapes: Shapes,
  options: ReadOptions,
): Promise<Found> {
  try {
    return await new Promise<Found>((resolve, reject) => {
      const settle = (error: Error | null, found: Found): void => (error ? reject(error) : resolve(found));
      client.query(new PreparedRead(client, shapes, options, settle) as unknown as pg.Submittable);
    });
  } catch (error) {
    // Who asked is of more use than the socket that the failure came by.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}
