import type { Command } from 'commander';
import { withCommon, withRefresh } from '../flags.ts';

/** Adds commands for schedules and access. */
export function addAdminister(root: Command): void {
  withRefresh(root.command('worker'))
    .summary('run scheduled and queued refreshes, or queue one')
    .description(
      'do the refreshes that are scheduled or asked for, and tasks of those that distribute, until stopped; with flags of a refresh, the configured schedule asks for that one',
    )
    .option(
      '--now [job]',
      'ask the workers for a refresh, or for the job avm or cma, print its id, and do nothing else',
    )
    .option(
      '--batches',
      'take tasks of others only: batches, which need no files, and parts of the datasets in its configuration',
    )
    .option('--drain <s>', 'seconds to let what is in hand finish when stopped', '60')
    .action(async (flags) => (await import('../commands/jobs.ts')).workerCommand(flags));
  withRefresh(root.command('schedule'))
    .argument('[job]', 'avm or cma; without it, a refresh')
    .summary('when refreshes and jobs run by themselves')
    .description(
      'when refreshes and jobs run by themselves; with --cron, --tz or --remove, change the schedule of the same job or --tables',
    )
    .option('--cron <fields>', "five cron fields, for example '0 2 * * *'")
    .option('--tz <zone>', 'time zone of the cron fields, for example Australia/Sydney')
    .option('--remove', 'no schedule until one is set or a worker starts')
    .action(async (job, flags) => (await import('../commands/jobs.ts')).scheduleCommand(job, flags));
  const admin = root
    .command('admin')
    .description('accounts and keys of the service, its prices, and roles that may read the tables');
  addAdmin(admin);
}

function addAdmin(admin: Command): void {
  withCommon(admin.command('keys'))
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
      (await import('../commands/keys.ts')).keysCommand(action, prefix, flags),
    );
  withCommon(admin.command('prices'))
    .argument('<action>', 'show or set')
    .argument('[prices...]', 'with set: <endpoint>=<cents>')
    .description('the rate cards of the service; set adds one, which services take without a restart')
    .option('--from <time>', 'when the new card takes effect; without it, at once')
    .action(async (action, prices, flags) =>
      (await import('../commands/prices.ts')).pricesCommand(action, prices, flags),
    );
  withCommon(admin.command('grant'))
    .argument('<role>', 'role that logs in; it is made where there is none')
    .description('let a role of the server read the serving tables, for so long as the configuration allows')
    .action(async (role, flags) => (await import('../commands/grant.ts')).grantCommand(role, flags));
}
