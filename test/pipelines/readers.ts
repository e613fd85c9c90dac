// A process of its own that reads what is served, over and over, until its standard input ends; then says what it saw.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** What one reader saw. */
export interface Seen {
  /** How often each state was seen: number of the publication, odd or even, and what the tables showed. */
  states: Record<string, number>;
  errors: string[];
  /** Start (milliseconds since 1970) and duration of each read. */
  reads: [start: number, ms: number][];
}

const PROPERTY = `(SELECT count(*) || ':' || sum(hashtext(t::text)) FROM serving.property t)`;
const PARITY = `(SELECT max(publication_id) % 2 FROM control.publication)`;
const JOINED = `(SELECT count(*) || ':' || count(DISTINCT p.gnaf_pid) || ':' || sum(hashtext(f::text)::bigint + hashtext(n::text))
  FROM serving.property p JOIN serving.property_profile f USING (gnaf_pid) LEFT JOIN serving.property_neighbour n USING (gnaf_pid))`;

/** What is served, by one statement. */
export const ONE_STATEMENT = `SELECT ${PARITY} || ' ' || ${PROPERTY} || ' ' || ${JOINED} AS state`;

async function readOnce(client: pg.Client, statements: 1 | 2): Promise<string> {
  if (statements === 1) return (await client.query(ONE_STATEMENT)).rows[0].state;
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const first = await client.query(`SELECT ${PARITY} || ' ' || ${PROPERTY} AS state`);
  const second = await client.query(`SELECT ${JOINED} AS state`);
  await client.query('COMMIT');
  return `${first.rows[0].state} ${second.rows[0].state}`;
}

async function reader(url: string, statements: 1 | 2, isOver: () => boolean): Promise<Seen> {
  const seen: Seen = { states: {}, errors: [], reads: [] };
  const client = new pg.Client({ connectionString: url, options: '-c jit=off' });
  await client.connect();
  while (!isOver()) {
    const started = performance.now();
    try {
      const state = await readOnce(client, statements);
      seen.states[state] = (seen.states[state] ?? 0) + 1;
    } catch (error) {
      seen.errors.push((error as Error).message);
      await client.query('ROLLBACK');
    }
    seen.reads.push([performance.timeOrigin + started, performance.now() - started]);
    await sleep(20);
  }
  await client.end();
  return seen;
}

if (process.argv[2] !== undefined) {
  const url = process.argv[2];
  let over = false;
  process.stdin.on('end', () => {
    over = true;
  });
  process.stdin.resume();
  const seen = await Promise.all(([1, 2, 1, 2] as const).map((n) => reader(url, n, () => over)));
  process.stdout.write(JSON.stringify(seen));
}
