import type { Command } from 'commander';
import { withCommon, withRefresh } from '../flags.ts';

/** Adds commands for schedules and access. */
export function addAdminister(root: Command): void {
  withRefresh(root.command('worker'))
    .summary('run scheduled and queued refreshes, or queue one')
    .description(
      'run scheduled and queued refreshes, and tasks of distributed runs, until stopped; flags of a refresh apply to the configured schedule',
    )
    .option('--now [job]', 'queue a refresh, or the job avm or cma, print its id and end')
    .option(
      '--wait',
      'with --now: follow the request until its run has ended; the exit code is that of the run',
    )
    .option(
      '--batches',
      'only take tasks of other runs: batches, which need no files, and parts of the datasets in its configuration',
    )
    .option('--drain <s>', 'seconds to finish current tasks when stopped', '60')
    .action(async (flags) => (await import('../commands/jobs.ts')).workerCommand(flags));
  withRefresh(root.command('schedule'))
    .argument('[job]', 'avm or cma; without it, a refresh')
    .summary('show or change the schedules of refreshes and jobs')
    .description(
      'show the schedules of refreshes and jobs; with --cron, --tz or --remove, change the schedule of the same job or --tables',
    )
    .option('--cron <fields>', "five cron fields, for example '0 2 * * *'")
    .option('--tz <zone>', 'time zone of the cron fields, for example Australia/Sydney')
    .option('--remove', 'remove the schedule until one is set or a worker starts')
    .action(async (job, flags) => (await import('../commands/jobs.ts')).scheduleCommand(job, flags));
  const admin = root
    .command('admin')
    .description('manage accounts, keys and prices of the service, and roles that may read the tables');
  addAdmin(admin);
}

function addAdmin(admin: Command): void {
  withCommon(admin.command('keys'))
    .argument('<action>', 'create, list, revoke, rotate, topup or usage')
    .argument('[prefix]', 'prefix of the key to revoke, as list shows it')
    .description('manage accounts of the service, their keys, credit and usage')
    .option('--account <name>', 'the account; create adds it if there is none')
    .option('--label <text>', 'purpose of the key')
    .option('--cents <n>', 'credit to add')
    .option('--adjust', 'record the cents as an adjustment, which may be negative')
    .option('--note <text>', 'reason; recorded in the ledger')
    .option('--days <n>', 'days of usage', '31')
    .option('--expires <time>', 'when a new key expires')
    .option('--day-cents <n>', 'maximum spend of a new key per UTC day, cents')
    .option('--scope <words...>', 'allowed endpoints of a new key: rest, mcp and path prefixes')
    .action(async (action, prefix, flags) =>
      (await import('../commands/keys.ts')).keysCommand(action, prefix, flags),
    );
  withCommon(admin.command('prices'))
    .argument('<action>', 'show or set')
    .argument('[prices...]', 'with set: <endpoint>=<cents>')
    .description('show the rate cards of the service; set adds one, which takes effect without a restart')
    .option('--from <time>', 'when the new card takes effect (default: at once)')
    .action(async (action, prices, flags) =>
      (await import('../commands/prices.ts')).pricesCommand(action, prices, flags),
    );
  withCommon(admin.command('grant'))
    .argument('<role>', 'role that logs in; created if needed')
    .description('let a role of the server read the serving tables, within the timeouts of the configuration')
    .action(async (role, flags) => (await import('../commands/grant.ts')).grantCommand(role, flags));
}
