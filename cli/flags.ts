import type { Command } from 'commander';

/** Gathers the values of a flag that may be repeated. */
export const collect = (value: string, all: string[]): string[] => [...all, value];

/** Flags that every command takes. */
export function withCommon(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file (default: pipeline.yaml, else that of the demo)')
    .option('--data-dir <dir>', 'folder of the embedded database')
    .option('--workers <n>', 'worker threads; 0 means one for each core')
    .option('--log <format>', 'text, or json for one JSON object a line on standard error')
    .option(
      '--set <key=value>',
      'set any configuration key, for example gates.rows_change_max=0.5',
      collect,
      [],
    )
    .option('--json', 'print JSON for machines');
}

/** A command that prints the short form of something longer. */
export const withVerbose = (command: Command): Command =>
  withCommon(command).option('--verbose', 'all of it, where the short form says how much there is besides');

/** The flags by which a refresh is asked for: now, by schedule or by way of the queue. */
export const withRefresh = (command: Command): Command =>
  withCommon(command)
    .option('--rehash', 'hash every file again, even where size and time are as remembered')
    .option(
      '--tables <names>',
      'bring these serving tables up to date with all that they are made from and refer to, and no others; joined by commas',
    )
    .option('--distribute', 'hand the batches of stages to workers on other machines too');
