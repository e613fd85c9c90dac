// Stops an embedded server that no command holds any more, however those that did have ended.
// Plain JavaScript, because it must start without a loader and stay small.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const TICK_MS = 300;
/** How long commands have to hold a server, after its start and after a crash that ended all sessions. */
const GRACE_MS = 3000;

const [port, passwordFile, lock] = process.argv.slice(2);
// The server names its own process: a number kept from the start could be that of another by now.
const IF_FREE = `SELECT pg_read_file('postmaster.pid') AS file WHERE CASE WHEN $1 THEN pg_try_advisory_lock(${lock}) END`;

async function connect() {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(port),
    user: 'postgres',
    password: readFileSync(passwordFile, 'utf8').trim(),
    database: 'postgres',
    application_name: 'property-data-pipeline keeper',
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** @type {pg.Client | null} */
let client = null;
let since = 0;
for (;;) {
  try {
    if (client === null) {
      client = await connect();
      since = Date.now();
    }
    const { rows } = await client.query(IF_FREE, [Date.now() - since > GRACE_MS]);
    if (rows.length > 0) process.kill(Number.parseInt(rows[0].file, 10), 'SIGINT');
  } catch (error) {
    // It is gone, with its data perhaps, or its port is another server's; else it recovers from a crash.
    if (['ECONNREFUSED', 'ENOENT', '28P01'].includes(error.code)) break;
    client?.end().catch(() => {});
    client = null;
  }
  await sleep(TICK_MS);
}
process.exit();
