import { typed } from '../schema/command_line.ts';

/** Earlier names of commands, and what they run now. */
export const RENAMED: Readonly<Record<string, { run: readonly string[]; type: string }>> = {
  runs: { run: ['status', '--runs'], type: 'status --runs' },
  publications: { run: ['status', '--publications'], type: 'status --publications' },
  sources: { run: ['status', '--datasets'], type: 'status --datasets' },
  feed: { run: ['diff'], type: 'diff --after <n>' },
  enqueue: { run: ['worker', '--now'], type: 'worker --now' },
  keys: { run: ['admin', 'keys'], type: 'admin keys' },
  prices: { run: ['admin', 'prices'], type: 'admin prices' },
  grant: { run: ['admin', 'grant'], type: 'admin grant' },
};

/** Replaces an earlier command name, with a hint for the user. Null: the name is current. */
export function currentCommand(args: readonly string[]): { args: string[]; hint: string | null } {
  const [name = '', ...rest] = args;
  const now = Object.hasOwn(RENAMED, name) ? RENAMED[name]! : null;
  if (now === null) return { args: [...args], hint: null };
  return {
    args: [...now.run, ...rest],
    hint: `warning: ${name} is ${typed(now.type)} now; the next release removes the name ${name}.`,
  };
}
