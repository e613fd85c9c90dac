// Stops an embedded server once no command holds it any more, however those that did have ended.
// Plain JavaScript, because it must start without a loader and stay small.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const TICK_MS = 300;
/** Ticks that the commands of a server have to hold it, after its start and after a crash that ended all sessions. */
const GRACE_TICKS = 10;

const [pid, port, lock] = process.argv.slice(2, 5).map(Number);
const [pidFile, passwordFile] = process.argv.slice(5);

/** What postmaster.pid says of our server; null when it is gone, as with the whole data folder. */
function isNamed() {
  try {
    return readFileSync(pidFile, 'utf8').startsWith(`${pid}\n`);
  } catch {
    return null;
  }
}

function isAlive() {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function connect() {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
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
let ticks = 0;
let wasReady = false;
while (isAlive() && (client !== null || isNamed())) {
  try {
    client ??= await connect();
    wasReady = true;
    const free = ticks++ < GRACE_TICKS ? 'false' : `pg_try_advisory_lock(${lock})`;
    const { rows } = await client.query(`SELECT ${free} AS free`);
    if (rows[0].free || isNamed() === null) {
      process.kill(pid, 'SIGINT');
      break;
    }
  } catch (error) {
    // The server does not listen yet, or recovers from a crash; or it is gone.
    if (wasReady && error.code === 'ECONNREFUSED') break;
    client = null;
    ticks = 0;
  }
  await sleep(TICK_MS);
}
process.exit();
