import type { Command } from 'commander';
import { collect, withCommon, withRefresh, withVerbose } from '../flags.ts';

/** Adds commands that load releases and compute what depends on them. */
export function addLoad(root: Command): void {
  withCommon(root.command('fetch'))
    .argument('[datasets...]', 'datasets (default: all with a download address)')
    .summary('download the newest releases from their publishers')
    .description('download the newest releases of datasets from their publishers')
    .option('--check', 'report whether there is a newer release, and download nothing')
    .option('--due', 'ask only if the cadence of the dataset makes a newer release possible')
    .option('--force', 'download even if there is nothing newer')
    .action(async (names, flags) => (await import('../commands/fetch.ts')).fetchCommand(names, flags));
  withVerbose(root.command('plan'))
    .description('show what a refresh would do, and why')
    .action(async (flags) => (await import('../commands/inspect.ts')).planCommand(flags));
  withRefresh(root.command('refresh'))
    .summary('load what changed, compute what depends on it, audit, publish')
    .description('load what changed, compute what depends on it, audit and publish')
    .option(
      '--only <names>',
      'check only these datasets, or run only these stages and their inputs; separated by commas',
    )
    .option(
      '--skip <names>',
      'keep these datasets as loaded, or these stages and the stages that read from them as computed',
    )
    .option(
      '--hold',
      'load, compute and audit, and hold the result as the candidate instead of publishing it',
    )
    .option('--summary <file>', 'write what changed as Markdown, for a pull request or a chat message')
    .option('--verbose', 'print the whole report, including unchanged items')
    .option('--retrain', 'train the models on the current sales, instead of waiting for the next month')
    .option(
      '--evidence <file>',
      'train the models on the sales that export --evidence wrote from another database',
    )
    .action(async (flags) => (await import('../commands/refresh.ts')).refreshCommand(flags));
  withCommon(root.command('backfill'))
    .summary('recompute parts of a stage, and everything that depends on them')
    .description('recompute partitions of a stage, and everything that depends on them')
    .requiredOption('--stage <name>', 'stage to begin with')
    .option('--state <abbreviation>', 'partitions of a state')
    .option('--sa3 <region>', 'partitions of an SA3, by code or name')
    .option('--sal <region>', 'partitions of a suburb, by SAL code or name')
    .option('--lga <region>', 'partitions of a local government area, by code or name')
    .option('--gnaf <gnaf_pid>', 'partitions of addresses; repeatable', collect, [])
    .option('--since-release <release>', 'partitions computed since a release, or dataset=release')
    .option('--dry-run', 'only list the partitions')
    .option('--limit <n>', 'maximum number of partitions of the stage, oldest first')
    .option('--concurrency <n>', 'worker threads')
    .option(
      '--distribute',
      'share the parts of datasets and the batches of stages with workers on other machines',
    )
    .option('--verbose', 'print the whole report, including unchanged items')
    .action(async (flags) => (await import('../commands/backfill.ts')).backfillCommand(flags));
}
