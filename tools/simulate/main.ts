/**
 * Lives through nights of the smallest country: deliveries, kills, frozen processes, bad links and clocks, readers, operators, customers.
 * After each, the served rows must be those that are recorded, the row accounts and the customer's balance must add up, and no session may
 * be left; every few nights everything must equal a rebuild from the delivered files. The seed decides what happens, and at which points of
 * the work. Linux only.
 * Usage: npm run simulate -- [--seed 1] [--nights 100] [--rebuild-every 10]; exits 1 where something is wrong
 */
import { parseArgs } from 'node:util';
import { NightFailed, simulate } from './simulation.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    nights: { type: 'string', default: '100' },
    'rebuild-every': { type: 'string', default: '10' },
  },
});
try {
  const { seconds, ...summary } = await simulate({
    seed: Number(values.seed),
    nights: Number(values.nights),
    rebuildEvery: Number(values['rebuild-every']),
    log: console.log,
  });
  console.log(
    `seed ${values.seed}, ${seconds.toFixed(0)} s, ${(seconds / summary.nights).toFixed(1)} s a night: ${JSON.stringify(summary)}`,
  );
} catch (error) {
  if (!(error instanceof NightFailed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
