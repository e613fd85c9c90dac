// Reads the files that are named one after the other, and says what came of each and how much memory was ever in use.
import { readFileSync, writeFileSync } from 'node:fs';
import { register } from 'tsx/esm/api';

register();
const { outcomeOf } = await import('./hostile_reading.ts');

/** Most memory since the last call, MB; null where the system does not say (it is Linux that does). */
function takePeak() {
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'));
    writeFileSync('/proc/self/clear_refs', '5');
    return Math.round(Number(peak[1]) / 1024);
  } catch {
    return null;
  }
}

takePeak();
const files = process.argv.slice(2);
for (let i = 0; i < files.length; i += 2) {
  const outcome = await outcomeOf(files[i], files[i + 1]);
  console.log(JSON.stringify({ ...outcome, peak_mb: takePeak() }));
}
process.exit();
