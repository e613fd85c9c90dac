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

/** CPU seconds of a process on this machine and of its children, those that ended and those that are there: of a server by its postmaster. */
export async function cpuWithChildren(parent: number): Promise<number> {
  let sum = await cpuOf(parent);
  for (const name of await readdir('/proc').catch(() => [])) {
    if (/^\d+$/.test(name) && (await parentOf(Number(name))) === parent) sum += await cpuOf(Number(name));
  }
  return sum;
}
