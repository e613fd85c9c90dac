import type { Command } from 'commander';
import { collect, withCommon, withRefresh, withVerbose } from '../flags.ts';

/** Adds commands that load releases and compute what depends on them. */
export function addLoad(root: Command): void {
  withCommon(root.command('fetch'))
    .argument('[datasets...]', 'datasets (default: all that say where they are fetched from)')
    .summary('download the newest releases from their publishers')
    .description('download the newest releases of datasets from their publishers')
    .option('--check', 'say whether there is something newer, and download nothing')
    .option('--due', 'ask only where the cadence of the dataset makes a newer release possible')
    .option('--force', 'download also what is there')
    .action(async (names, flags) => (await import('../commands/fetch.ts')).fetchCommand(names, flags));
  withVerbose(root.command('plan'))
    .description('what a refresh would do, and why')
    .action(async (flags) => (await import('../commands/inspect.ts')).planCommand(flags));
  withRefresh(root.command('refresh'))
    .summary('load what changed, compute what depends on it, audit, publish')
    .description('load what changed, compute what depends on it, audit and publish')
    .option(
      '--only <names>',
      'look at these datasets alone, or run these stages and what they read from; joined by commas',
    )
    .option(
      '--skip <names>',
      'leave these datasets as they are loaded, or these stages and what reads from them as computed',
    )
    .option('--accept <check>', 'accept a failed audit check, for example rows:property', collect, [])
    .option('--verbose', 'the whole report, of what is unchanged too')
    .option('--reason <text>', 'why it is accepted; recorded with the publication')
    .option(
      '--retrain',
      'train the models on the sales as they are now, instead of waiting for the next month',
    )
    .option('--evidence <file>', 'train the models on what another database wrote by export --evidence')
    .action(async (flags) => (await import('../commands/refresh.ts')).refreshCommand(flags));
  withCommon(root.command('backfill'))
    .summary('compute parts of a stage again, and all that depends on them')
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
    .option(
      '--distribute',
      'share the parts of datasets and the batches of stages with workers on other machines',
    )
    .option('--accept <check>', 'accept a failed audit check', collect, [])
    .option('--verbose', 'the whole report, of what is unchanged too')
    .option('--reason <text>', 'why it is accepted; recorded with the publication')
    .action(async (flags) => (await import('../commands/backfill.ts')).backfillCommand(flags));
}
