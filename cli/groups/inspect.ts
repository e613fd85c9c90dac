import { type Command, Option } from 'commander';
import { collect, withCommon, withVerbose } from '../flags.ts';

/** Adds commands that show data, their origin and runs. */
export function addInspectCommands(root: Command): void {
  addState(root);
  addValues(root);
  addProof(root);
}

function addState(root: Command): void {
  withVerbose(root.command('status'))
    .description('show what is loaded and published, and how the last runs ended')
    .addOption(
      new Option(
        '--datasets',
        'each loaded dataset: release, age, rows, rejects, CRS, coverage, licence, last load',
      ).conflicts(['publications', 'runs']),
    )
    .addOption(
      new Option('--publications', 'the last publications, and which are still readable').conflicts('runs'),
    )
    .option('--runs', 'the last runs')
    .option('--limit <n>', 'maximum number of publications or runs', '20')
    .action(async (flags) => (await import('../commands/status.ts')).statusCommand(flags));
  withVerbose(root.command('report'))
    .argument('[run]', 'number of the run (default: the last one)')
    .description('show the report of a run')
    .option('--html <file>', 'write it as a page that needs no network')
    .action(async (run, flags) => (await import('../commands/report.ts')).reportCommand(run, flags));
  withCommon(root.command('rejects'))
    .argument('<action>', 'list')
    .description('list rejected rows with file and location')
    .option('--dataset <name>', 'one dataset or stage only')
    .option('--code <code>', 'one code only')
    .option('--limit <n>', 'maximum number of rows', '100')
    .action(async (action, flags) => (await import('../commands/rejects.ts')).rejectsCommand(action, flags));
}

function addValues(root: Command): void {
  withVerbose(root.command('explain'))
    .argument('<property>', 'address or gnaf_pid of a property')
    .argument(
      '[value]',
      'an endpoint such as land-area-sqm or risks/flood, or a field such as property_zoning.code: since when and why the value is what it is; avm: how the property is valued',
    )
    .summary('trace a value: file and line, release, stage, run')
    .description('show the source of everything served for a property')
    .option('--as-of <n>', 'as of an earlier publication')
    .option('--candidate', 'as the held candidate has it')
    .action(async (property, value, flags) =>
      (await import('../commands/explain.ts')).explainCommand(property, value, flags),
    );
  withCommon(root.command('get'))
    .argument(
      '<endpoint>',
      'path of an endpoint such as profile, risks/flood or property_finder; endpoints lists them',
    )
    .argument(
      '[id]',
      'gnaf_pid of a property, or SAL name of a suburb; with --level, code or name of a region',
    )
    .option('--radius_m <m>', 'search radius of amenities/nearby and transport/nearby, 100 to 5000')
    .option('--as-of <n>', 'as of an earlier publication')
    .option('--candidate', 'as the held candidate has it')
    .option('--geojson', 'add the shapes of risks/…')
    .option('--level <level>', 'kind of area of a suburb endpoint: SAL, SA2, SA3, LGA or POA')
    .option('-q, --query <name=value>', 'any other parameter of the endpoint', collect, [])
    .description('print the payload of an endpoint, from the published tables')
    .action(async (path, id, flags) => (await import('../commands/get.ts')).getCommand(path, id, flags));
  withCommon(root.command('match', { hidden: true }))
    .summary('match addresses of a file with the loaded G-NAF')
    .description('match addresses of a CSV file, or of standard input (one a line), with the loaded G-NAF')
    .option('--file <csv>', 'file with a header; columns named like address fields complete the text')
    .option('--column <name>', 'column of the address (default: address)')
    .option('--state <state>', 'match with the addresses of one state only, for example VIC')
    .action(async (flags) => (await import('../commands/match.ts')).matchCommand(flags));
}

function addProof(root: Command): void {
  withCommon(root.command('audit', { hidden: true }))
    .description(
      'recompute published values of a sample of properties from the loaded records with Turf: land areas, neighbours, hazards, distances to places; a difference is exit code 1',
    )
    .option('--sample <n>', 'number of properties (default: audit.sample)')
    .option('--seed <n>', 'seed that chooses them', '1')
    .action(async (flags) => (await import('../commands/audit.ts')).auditCommand(flags));
  withCommon(root.command('digest', { hidden: true }))
    .description('print one line for each serving table: name, rows, digest of the content')
    .option('--as-of <n>', 'as of an earlier publication')
    .action(async (flags) => (await import('../commands/inspect.ts')).digestCommand(flags));
  withCommon(root.command('evaluate', { hidden: true }))
    .description(
      'train and evaluate the valuation model on the stored sales, or on a file of sales or rents, which needs no database',
    )
    .option('--sales <file>', 'delimited file of sales or rents (default: the stored ones)')
    .option('--map <file>', 'map of its columns; config/maps/ has an example')
    .option('--kind <kind>', 'stored sales or rents: sale or rent', 'sale')
    .option('--split <share>', 'share of the sales to evaluate, the latest ones', '0.15')
    .option('--folds <n>', 'time windows of this share; each has its own models', '6')
    .option('--lag-days <n>', 'minimum age of information about a sale, days before it', '14')
    .option('--groups', 'retrain without each group of features, to show its contribution')
    .option('--report <file>', 'write a page with tables and plots')
    .action(async (flags) => (await import('../commands/evaluate.ts')).evaluateCommand(flags));
}
