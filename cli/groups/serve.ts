import type { Command } from 'commander';
import { withCommon } from '../flags.ts';

/** Adds commands that serve until they are stopped. */
export function addServe(root: Command): void {
  withCommon(root.command('serve'))
    .summary('serve the API over HTTP and MCP, metered')
    .description('serve the read contract over HTTP and MCP, metered, until stopped')
    .option('--host <address>', 'address to listen on')
    .option('--port <n>', 'port to listen on; 0: any free port')
    .option('--processes <n>', 'number of processes behind the port')
    .action(async (flags) => (await import('../commands/serve.ts')).serveCommand(flags));
  withCommon(root.command('ops'))
    .summary('serve the console: map, properties, runs, queue, metrics')
    .description(
      'serve the console with map, properties, run reports, queue, metrics and health over HTTP until stopped',
    )
    .option('--host <address>', 'address to listen on; any address except loopback needs ops.token')
    .option('--port <n>', 'port to listen on; 0: any free port')
    .action(async (flags) => (await import('../commands/ops.ts')).opsCommand(flags));
  withCommon(root.command('db'))
    .summary('keep the embedded server running for psql, DuckDB or QGIS')
    .description(
      'keep the embedded database server running for other programs until stopped, and print its URL',
    )
    .action(async (flags) => (await import('../commands/db.ts')).dbCommand(flags));
}
