import { syntheticCity } from './spatial_data.ts';
import { prepare, stagesOf } from './spatial_stages.ts';

/**
 * All spatial stages over a city in this thread, the least of the rounds for each; the process's peak memory includes the city.
 * Prints JSON: seconds, cpu_s, peak_mb. Run by spatial.ts: spatial_alone.ts parcels rounds seed.
 */
const [parcels, rounds, seed] = process.argv.slice(2).map(Number) as [number, number, number];
const prepared = prepare(syntheticCity(parcels, seed));
let [seconds, cpu_s] = [0, 0];
for (const stage of Object.values(stagesOf(prepared))) {
  let [best, bestCpu] = [Infinity, Infinity];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    const before = process.cpuUsage();
    for (const cell of prepared.cells) stage(prepared, cell, {});
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (performance.now() - started) / 1000);
    bestCpu = Math.min(bestCpu, (user + system) / 1e6);
  }
  seconds += best;
  cpu_s += bestCpu;
}
const peak_mb = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ seconds, cpu_s, peak_mb }));
