import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { parse } from 'csv-parse/sync';
import { withDatabase } from '../../cli/database.ts';
import { loadConfig } from '../../cli/load_config.ts';
import { openPool } from '../../store/database.ts';
import type { Comparison } from './truth/comparison.ts';
import { ORACLES, type OracleRow, Published } from './truth/oracles.ts';
import { withSection } from './truth/page.ts';

const PAGE = new URL('../../docs/truth.md', import.meta.url);

/** Rows of an oracle. */
const rowsOf = (path: string): OracleRow[] => parse(readFileSync(path), { columns: true, bom: true });

/** Holds a database against every oracle of some folders. */
export async function heldAgainst(url: string, folders: readonly string[]): Promise<Comparison[]> {
  const pool = openPool(url, 1);
  try {
    const client = await pool.connect();
    try {
      const published = new Published(client);
      const found: Comparison[] = [];
      for (const folder of folders)
        for (const file of Object.keys(ORACLES).filter((name) => readdirSync(folder).includes(name)))
          found.push(...(await ORACLES[file]!(published, rowsOf(join(folder, file)), file)));
      return found;
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}

interface Flags {
  name: string;
  oracles: string;
  config?: string;
  dataDir?: string;
  check?: boolean;
}

async function main(): Promise<void> {
  const program = new Command('truth')
    .requiredOption('--name <name>', 'heading of the section')
    .requiredOption('--oracles <folders>', 'folders with oracles, joined by commas')
    .option('-c, --config <file>', 'configuration of the database')
    .option('--data-dir <dir>', 'folder of the embedded database')
    .option('--check', 'writes nothing; fails where a row does not agree');
  const { name, oracles, check, ...flags } = program.parse().opts<Flags>();
  const { config } = await loadConfig(flags);
  const comparisons = await withDatabase(config, (url) => heldAgainst(url, oracles.split(',')));
  if (comparisons.length === 0)
    throw new Error(`No file of ${oracles} is an oracle: ${Object.keys(ORACLES).join(', ')}.`);
  for (const { what, rows, agree, worst } of comparisons)
    console.log(`${agree} of ${rows}  ${what}${worst === null ? '' : `, worst ${worst}`}`);
  if (check) process.exitCode = comparisons.some(({ rows, agree }) => agree < rows) ? 1 : 0;
  else
    writeFileSync(
      PAGE,
      withSection(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : null, { name, comparisons }),
    );
}

if (process.argv[1]?.endsWith('truth.ts')) await main();
