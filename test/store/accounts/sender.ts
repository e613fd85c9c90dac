import { Unsent } from '../../../store/accounts/unsent.ts';
import { openPool } from '../../../store/database.ts';

/** A process of the service that sends one answer when told its request, and is killed at that moment. Argument: the database's URL. */
const url = process.argv[2]!;
const unsent = new Unsent(url, openPool(url, 1), 30);
await unsent.open();
process.on('message', async (requestId: string) => {
  await unsent.leave([requestId]);
  process.kill(process.pid, 'SIGKILL');
});
process.send!(unsent.holder);
