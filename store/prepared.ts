import type pg from 'pg';
import type { Lender } from './sharing.ts';

/** Most statements that one connection keeps prepared: lists of many lengths make many texts. */
const KEPT = 200;

/** Tables whose best plan depends on the values that are asked for: their statements are planned each time. */
const PLANNED_EACH_TIME = /"property_finder"/;

/**
 * The same connections, on which a statement is parsed once and its plan kept: planning a join of three tables costs more than
 * reading what it finds. Statements are told apart by their text; `names` are those that were given, the same for all who use one connection.
 */
export function preparing(pool: Lender, names = new Map<string, string>()): Lender {
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= KEPT || PLANNED_EACH_TIME.test(text)) return known;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
  const facades = new WeakMap<pg.PoolClient, pg.PoolClient>();
  const facadeOf = (client: pg.PoolClient): pg.PoolClient => {
    const query = (text: string | pg.Submittable, values: unknown[] = []): unknown => {
      if (typeof text !== 'string') return client.query(text);
      const name = nameOf(text);
      return client.query(name === undefined ? { text, values } : { name, text, values });
    };
    return Object.assign(Object.create(client) as pg.PoolClient, {
      query,
      release: (error?: Error | boolean) => client.release(error),
    });
  };
  return {
    async connect() {
      const client = await pool.connect();
      const facade = facades.get(client) ?? facadeOf(client);
      facades.set(client, facade);
      return facade;
    },
    end: () => pool.end(),
  };
}
