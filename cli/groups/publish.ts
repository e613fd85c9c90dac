import type { Command } from 'commander';
import { collect, withCommon, withVerbose } from '../flags.ts';

/** Adds commands for publications: differences, exports and rollback. */
export function addPublish(root: Command): void {
  withVerbose(root.command('diff'))
    .argument('[from]', 'publication to compare with (default: the one before)')
    .argument('[to]', 'publication to show (default: the last one)')
    .summary('show the differences between two publications, row by row')
    .description('show the differences between two publications: row counts, and rows with both sides')
    .option('--from <n>', 'the same as the first argument')
    .option('--to <n>', 'the same as the second argument')
    .option('--publication <n>', 'show the changes of this publication')
    .option('--candidate', 'show the changes of the held candidate, the largest of each table first')
    .option('--table <name>', 'one serving table only')
    .option('--limit <n>', 'rows shown for each table', '20')
    .option(
      '--after <n>',
      'all row changes after this publication, in order, for a reader that keeps a copy; 0: from the start; with --json one object a line',
    )
    .action(async (from, to, flags) =>
      (await import('../commands/publications.ts')).diffCommand(from, to, flags),
    );
  withCommon(root.command('export'))
    .summary('write published tables as Parquet, CSV, GeoJSON or PMTiles')
    .description('write published tables as files, with a manifest of checksums, licences and attributions')
    .option('--out <dir>', 'folder to write, where an earlier export is replaced, or s3://bucket/prefix')
    .option(
      '--evidence <file>',
      'write the training sales of the models to this CSV, for refresh --evidence on another database',
    )
    .option(
      '--models <dir>',
      'write each trained model to a JSON file: settings, features, medians, trees, and the sales that it values by',
    )
    .option('--publication <n>', 'publication to export (default: the last one)')
    .option('--candidate', 'export the held candidate instead of a publication')
    .option('--since <n>', 'only the differences from this publication, each row with its change')
    .option('--tables <names>', 'serving tables, separated by commas (default: all that the format supports)')
    .option('--format <format>', 'parquet, csv, geojson or pmtiles', 'parquet')
    .option(
      '--partition <columns>',
      'parquet: files by these columns, such as property/state=VIC/part-0.parquet: state or level, or both separated by a comma',
    )
    .option('--raw-texts', 'csv: write texts unchanged, even if a spreadsheet would run them as a formula')
    .option('--sign-key <file>', 'private Ed25519 key (PEM) that signs the manifest')
    .action(async (flags) => (await import('../commands/export.ts')).exportCommand(flags));
  withVerbose(root.command('publish'))
    .summary('publish the held candidate')
    .description(
      'publish the candidate that refresh --hold or a refused run holds, and nothing else; refused if an input, a setting or the program changed since',
    )
    .option('--accept <check>', 'accept a failed audit check, for example rows:property', collect, [])
    .option('--reason <text>', 'reason for --accept; recorded with the publication')
    .action(async (flags) => (await import('../commands/candidate.ts')).publishCommand(flags));
  withCommon(root.command('discard', { hidden: true }))
    .summary('discard the held candidate')
    .description(
      'discard the held candidate and its computed rows; what was loaded stays, and the next refresh computes from it again',
    )
    .action(async (flags) => (await import('../commands/candidate.ts')).discardCommand(flags));
  withCommon(root.command('rollback'))
    .description('serve an earlier publication again')
    .option('--to <n>', 'publication to go back to (default: the one before the last)')
    .option('--reason <text>', 'reason; recorded with the publication')
    .action(async (flags) => (await import('../commands/publications.ts')).rollbackCommand(flags));
}
