import { createInterface } from 'node:readline';
import {
  answer,
  type MatchRequest,
  matchRequest,
  readAddressIndex,
  requestsOfCsv,
} from '../../pipelines/match/matching.ts';
import { setUp } from '../../pipelines/run/refresh.ts';
import { openPool } from '../../store/database.ts';
import { withDatabase } from '../database.ts';
import { type ConfigFlags, loadConfig } from '../load_config.ts';
import { isOutputRead, printLine, printStatus } from '../print.ts';

type MatchFlags = ConfigFlags & { json?: boolean; file?: string; column?: string; state?: string };
type LoadedIndex = Awaited<ReturnType<typeof readAddressIndex>>;
type MatchAnswer = ReturnType<typeof answer>;

/** Default column of the address. */
const COLUMN = 'address';
/** Approximate number of characters to write at once. */
const FLUSH_CHARS = 1 << 16;
const HEADER = 'line,address,status,gnaf_pid,score,rule,margin,label,runner_up,runner_up_score,parent_pid';

/** Reads requests from standard input: one address a line, or a JSON object with its fields. */
async function* requestsOfInput(column: string): AsyncGenerator<MatchRequest> {
  let line = 0;
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === '') continue;
    yield matchRequest(recordOf(text, column), column, line);
  }
}

/** Parses a JSON object into texts by name. Any other text is the address. */
function recordOf(text: string, column: string): Record<string, string> {
  if (!text.trimStart().startsWith('{')) return { [column]: text };
  try {
    const values = JSON.parse(text) as Record<string, unknown>;
    const knownValues = Object.entries(values).filter(
      ([, value]) => value !== null && typeof value !== 'object',
    );
    const record = Object.fromEntries(knownValues.map(([name, value]) => [name, String(value)]));
    return column in record || record.text === undefined ? record : { ...record, [column]: record.text };
  } catch {
    return { [column]: text };
  }
}

const csvField = (value: string | number | null): string => {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const addressOf = ({ input }: MatchRequest): string =>
  input.text ?? [input.unit, input.number, input.street, input.suburb].filter(Boolean).join(' ');

function csvLine(request: MatchRequest, result: MatchAnswer): string {
  const { status, gnaf_pid, parent_pid, score, rule, margin, candidates, runner_up } = result;
  const label = candidates[0]?.label ?? null;
  const values = [request.line, addressOf(request), status, gnaf_pid, score, rule, margin, label];
  return [...values, runner_up?.gnaf_pid ?? null, runner_up?.score ?? null, parent_pid]
    .map(csvField)
    .join(',');
}

/** Writes lines, at the speed of the output's reader. */
async function writeAll(lines: AsyncIterable<string>): Promise<void> {
  let pendingText = '';
  const flush = async (): Promise<void> => {
    await printLine(pendingText);
    pendingText = '';
  };
  for await (const line of lines) {
    pendingText += pendingText === '' ? line : `\n${line}`;
    if (pendingText.length >= FLUSH_CHARS) await flush();
    if (!isOutputRead()) return;
  }
  if (pendingText !== '') await flush();
}

async function matchAll(index: LoadedIndex, flags: MatchFlags): Promise<void> {
  const column = flags.column ?? COLUMN;
  const requests = flags.file === undefined ? requestsOfInput(column) : requestsOfCsv(flags.file, column);
  const counts = { matched: 0, parent: 0, ambiguous: 0, no_match: 0 };
  const rules = new Map<string, number>();
  async function* lines(): AsyncGenerator<string> {
    if (!flags.json) yield HEADER;
    for await (const request of requests) {
      const result = answer(index, request);
      counts[result.status]++;
      const rule = `${result.status} ${result.rule}`;
      rules.set(rule, (rules.get(rule) ?? 0) + 1);
      yield flags.json
        ? JSON.stringify({ line: request.line, ...request.input, ...result })
        : csvLine(request, result);
    }
  }
  await writeAll(lines());
  printStatus(summary(index, counts, rules).trimEnd());
}

function summary(
  index: LoadedIndex,
  counts: Record<string, number>,
  rules: ReadonlyMap<string, number>,
): string {
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const gaps = Object.entries(index.gaps).filter(([, rows]) => rows > 0);
  const parts = Object.entries(counts).map(([status, rows]) => `${rows} ${status}`);
  const out = [`${total} addresses against ${index.addresses.size}: ${parts.join(', ')}`];
  for (const [gap, rows] of gaps) out.push(`  ${rows} rows of the address file not used: ${gap}`);
  const sorted = [...rules].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  for (const [rule, rows] of sorted) out.push(`  ${String(rows).padStart(8)}  ${rule}`);
  return `${out.join('\n')}\n`;
}

/** Matches addresses of a CSV file or of standard input with the loaded G-NAF. */
export async function matchCommand(flags: MatchFlags): Promise<void> {
  const { config } = await loadConfig(flags);
  await withDatabase(config, async (url) => {
    const pool = openPool(url, 1);
    try {
      const client = await pool.connect();
      let index: LoadedIndex;
      try {
        await setUp(client, config);
        index = await readAddressIndex(client, flags.state?.toUpperCase() ?? null);
      } finally {
        client.release();
      }
      await matchAll(index, flags);
    } finally {
      await pool.end();
    }
  });
}
