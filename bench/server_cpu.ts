import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks of /proc, a second. */
const TICKS = 100;

/** What stands after the name of the program in a process's /proc entry; the name may hold anything. */
async function fieldsOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Parent of a process. */
export const parentOf = async (pid: number): Promise<number> => Number((await fieldsOf(pid))[1]);

/** CPU seconds that a process has used, its threads and its ended children included. Linux only; elsewhere 0. */
export async function cpuOf(pid: number): Promise<number> {
  const fields = await fieldsOf(pid);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}

/** CPU seconds of a server on this machine: its postmaster, with the sessions that ended, and the sessions that are there. */
export async function cpuOfServer(postmaster: number): Promise<number> {
  let sum = await cpuOf(postmaster);
  for (const name of await readdir('/proc').catch(() => [])) {
    if (/^\d+$/.test(name) && (await parentOf(Number(name))) === postmaster) sum += await cpuOf(Number(name));
  }
  return sum;
}
