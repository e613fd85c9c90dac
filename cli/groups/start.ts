import type { Command } from 'commander';
import { collect, withVerbose } from '../flags.ts';

/** Adds commands to start with: a sample country, and a first configuration. */
export function addStart(root: Command): void {
  withVerbose(root.command('demo'))
    .summary('generate a small sample country, refresh from it, show what was published')
    .description('generate the sample country, refresh from it, and show what was published')
    .option('--properties <n>', 'number of properties', '10000')
    .option('--seed <n>', 'seed', '1')
    .action(async (flags) => (await import('../commands/sample.ts')).demoCommand(flags));
  root
    .command('inspect <files...>')
    .summary('show what files contain and which adapter fits')
    .description(
      'show the layers, columns, values and CRS of files, and the datasets that fit: adapter, state and field map',
    )
    .option('--json', 'JSON for machines')
    .action(async (files, flags) =>
      (await import('../commands/inspect_file.ts')).inspectFileCommand(files, flags),
    );
  root
    .command('init')
    .argument('<folder>', 'folder of releases, in any order')
    .summary('write a configuration for the releases in a folder')
    .description('write a commented configuration for the releases in a folder; replaces no file')
    .option('--out <file>', 'configuration to write', 'pipeline.yaml')
    .option(
      '--licence <name>',
      'licence of all datasets whose adapter names no open licence; repeatable as <publisher>=<name>, by state, folder, adapter or dataset',
      collect,
      [],
    )
    .option('--json', 'JSON for machines')
    .action(async (folder, flags) => (await import('../commands/init.ts')).initCommand(folder, flags));
  withVerbose(root.command('doctor'))
    .summary('check configuration, machine, database and datasets')
    .description(
      'show the effective configuration with the origin of each value, and check it, the machine, the database and the datasets',
    )
    .action(async (flags) => (await import('../commands/doctor.ts')).doctorCommand(flags));
  root
    .command('sample', { hidden: true })
    .description(
      'write the sample country: a small Australia in the publishers’ own formats, with its known truth',
    )
    .requiredOption('--out <dir>', 'folder to write to')
    .option('--properties <n>', 'number of properties', '10000')
    .option('--seed <n>', 'seed; equal seeds give equal bytes', '1')
    .option('--json', 'print JSON for machines')
    .action(async (flags) => (await import('../commands/sample.ts')).sampleCommand(flags));
}
