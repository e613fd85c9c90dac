// Plain Node: every endpoint by its path. Usage: node example.mjs <database url> <gnaf_pid> [path]
import { ask, CONTRACT_VERSION, connect, ENDPOINTS } from 'property-data-contract';

const [url, property, path = 'profile'] = process.argv.slice(2);
const endpoint = ENDPOINTS.find((each) => each.subpath === path);
const db = connect(url, { connections: 1 });
try {
  console.log(JSON.stringify({ contract: CONTRACT_VERSION, [path]: await ask(endpoint, db, property) }));
} finally {
  await db.destroy();
}
