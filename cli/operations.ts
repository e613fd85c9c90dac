import type { Command } from 'commander';

const collect = (value: string, all: string[]): string[] => [...all, value];

/** Adds the commands for publications, backfills and operations; `common` adds the flags that every command takes. */
export function addOperations(root: Command, common: (command: Command) => Command): void {
  addJournal(root, common);
  addRuns(root, common);
  addGrant(root, common);
  addService(root, common);
}

function addJournal(root: Command, common: (command: Command) => Command): void {
  common(root.command('publications'))
    .description('the last publications, and which of them can still be read')
    .option('--limit <n>', 'how many', '20')
    .action(async (flags) => (await import('./commands/publications.ts')).publicationsCommand(flags));
  common(root.command('diff'))
    .argument('[from]', 'publication to compare with (default: the one before)')
    .argument('[to]', 'publication to look at (default: the last one)')
    .description('what differs between two publications: row counts, and rows with both sides')
    .option('--from <n>', 'the same as the first argument')
    .option('--to <n>', 'the same as the second argument')
    .option('--publication <n>', 'what this publication changed')
    .option('--table <name>', 'one serving table only')
    .option('--limit <n>', 'rows shown for each table', '20')
    .action(async (from, to, flags) =>
      (await import('./commands/publications.ts')).diffCommand(from, to, flags),
    );
  common(root.command('feed'))
    .description('all row changes after a publication, in order; with --json one object a line')
    .requiredOption('--after <n>', 'publication that the reader has; 0: nothing')
    .action(async (flags) => (await import('./commands/publications.ts')).feedCommand(flags));
  common(root.command('export'))
    .description('write published tables as files, with a manifest of checksums, licences and attributions')
    .option('--out <dir>', 'folder to write; an earlier export there is replaced')
    .option(
      '--evidence <file>',
      'write the sales that the models are made from to this CSV, for refresh --evidence elsewhere',
    )
    .option('--publication <n>', 'which publication (default: the last one)')
    .option('--since <n>', 'only what differs from this publication, each row with its change')
    .option('--tables <names>', 'serving tables, joined by commas (default: all that the format can hold)')
    .option('--format <format>', 'parquet, csv, geojson or pmtiles', 'parquet')
    .option('--sign-key <file>', 'private Ed25519 key (PEM) that signs the manifest')
    .action(async (flags) => (await import('./commands/export.ts')).exportCommand(flags));
  common(root.command('rollback'))
    .description('serve an earlier publication again')
    .option('--to <n>', 'publication to go back to (default: the one before the last)')
    .option('--reason <text>', 'why; recorded with the publication')
    .action(async (flags) => (await import('./commands/publications.ts')).rollbackCommand(flags));
}

function addRuns(root: Command, common: (command: Command) => Command): void {
  common(root.command('backfill'))
    .description('compute partitions of a stage again, and all that depends on them')
    .requiredOption('--stage <name>', 'stage to begin with')
    .option('--state <abbreviation>', 'partitions of a state')
    .option('--sa3 <region>', 'partitions of an SA3, by code or name')
    .option('--sal <region>', 'partitions of a suburb, by SAL code or name')
    .option('--lga <region>', 'partitions of a local government area, by code or name')
    .option('--gnaf <gnaf_pid>', 'partitions of addresses; repeatable', collect, [])
    .option('--since-release <release>', 'partitions computed since a release, or dataset=release')
    .option('--dry-run', 'say which partitions, and do nothing')
    .option('--limit <n>', 'at most so many partitions of the stage, those computed longest ago first')
    .option('--concurrency <n>', 'worker threads')
    .option('--distribute', 'hand the batches of stages to workers on other machines too')
    .option('--accept <check>', 'take a failed audit check', collect, [])
    .option('--verbose', 'the whole report, of what is unchanged too')
    .option('--reason <text>', 'why it is accepted; recorded with the publication')
    .action(async (flags) => (await import('./commands/backfill.ts')).backfillCommand(flags));
  common(root.command('runs'))
    .description('the last runs')
    .option('--limit <n>', 'how many', '20')
    .action(async (flags) => (await import('./commands/runs.ts')).runsCommand(flags));
  common(root.command('report'))
    .argument('[run]', 'number of the run (default: the last one)')
    .description('the report of a run')
    .option('--html <file>', 'write it as a page that needs no network')
    .action(async (run, flags) => (await import('./commands/report.ts')).reportCommand(run, flags));
  common(root.command('rejects'))
    .argument('<action>', 'list')
    .description('rejected rows with file and place')
    .option('--dataset <name>', 'one dataset or stage only')
    .option('--code <code>', 'one code only')
    .option('--limit <n>', 'how many', '100')
    .action(async (action, flags) => (await import('./commands/runs.ts')).rejectsCommand(action, flags));
  common(root.command('ops'))
    .description('serve run reports, the queue, metrics and health over HTTP until stopped')
    .option('--host <address>', 'address to listen on; any but loopback needs ops.token')
    .option('--port <n>', 'port to listen on; 0 takes a free one')
    .action(async (flags) => (await import('./commands/ops.ts')).opsCommand(flags));
}

function addGrant(root: Command, common: (command: Command) => Command): void {
  common(root.command('grant'))
    .argument('<role>', 'role that logs in; it is made where there is none')
    .description('let a role of the server read the serving tables, for so long as the configuration allows')
    .action(async (role, flags) => (await import('./commands/grant.ts')).grantCommand(role, flags));
}

function addService(root: Command, common: (command: Command) => Command): void {
  common(root.command('serve'))
    .description('serve the read contract over HTTP and MCP, metered, until stopped')
    .option('--host <address>', 'address to listen on')
    .option('--port <n>', 'port to listen on; 0 takes a free one')
    .option('--processes <n>', 'processes behind the port')
    .action(async (flags) => (await import('./commands/serve.ts')).serveCommand(flags));
  common(root.command('prices'))
    .argument('<action>', 'show or set')
    .argument('[prices...]', 'with set: <endpoint>=<cents>')
    .description('the rate cards of the service; set adds one, which services take without a restart')
    .option('--from <time>', 'when the new card takes effect; without it, at once')
    .action(async (action, prices, flags) =>
      (await import('./commands/prices.ts')).pricesCommand(action, prices, flags),
    );
  common(root.command('keys'))
    .argument('<action>', 'create, list, revoke, rotate, topup or usage')
    .argument('[prefix]', 'of the key that is revoked, as list shows it')
    .description('accounts of the service, their keys, credit and usage')
    .option('--account <name>', 'the account; create opens it where there is none')
    .option('--label <text>', 'what the key is for')
    .option('--cents <n>', 'credit to add')
    .option('--adjust', 'write it as an adjustment, which may be negative')
    .option('--note <text>', 'why; recorded in the ledger')
    .option('--days <n>', 'days of usage', '31')
    .option('--expires <time>', 'when a new key expires')
    .option('--day-cents <n>', 'most cents that a new key may spend on a UTC day')
    .option('--scope <words...>', 'what a new key may ask: rest, mcp and prefixes of paths')
    .action(async (action, prefix, flags) =>
      (await import('./commands/keys.ts')).keysCommand(action, prefix, flags),
    );
}
