import type { Command } from 'commander';

/** Collects the values of a repeatable flag. */
export const collect = (value: string, all: string[]): string[] => [...all, value];

/** Adds the flags of every command. */
export function withCommon(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file (default: pipeline.yaml, else the demo configuration)')
    .option('--data-dir <dir>', 'folder of the embedded database')
    .option('--workers <n>', 'worker threads; 0: one for each core')
    .option('--log <format>', 'text, or json for one JSON object a line on standard error')
    .option(
      '--set <key=value>',
      'set any configuration key, for example gates.rows_change_max=0.5',
      collect,
      [],
    )
    .option('--json', 'print JSON for machines');
}

/** Adds the flag that prints the long form. */
export const withVerbose = (command: Command): Command =>
  withCommon(command).option('--verbose', 'print everything');

/** Adds the flags that every way to request a refresh has: run now, on a schedule or through the queue. */
export const withRefresh = (command: Command): Command =>
  withCommon(command)
    .option('--rehash', 'hash every file again, even if size and time have not changed')
    .option(
      '--tables <names>',
      'refresh only these serving tables and the tables they depend on; separated by commas',
    )
    .option(
      '--distribute',
      'share the parts of datasets and the batches of stages with workers on other machines',
    );
