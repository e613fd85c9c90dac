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
    .description('what is loaded and published, and how the last runs ended')
    .addOption(
      new Option(
        '--datasets',
        'each loaded dataset: release and its age, rows, rejects, CRS, coverage, licence, last load',
      ).conflicts(['publications', 'runs']),
    )
    .addOption(
      new Option('--publications', 'the last publications, and which can still be read').conflicts('runs'),
    )
    .option('--runs', 'the last runs')
    .option('--limit <n>', 'how many publications or runs', '20')
    .action(async (flags) => (await import('../commands/status.ts')).statusCommand(flags));
  withCommon(root.command('report'))
    .argument('[run]', 'number of the run (default: the last one)')
    .description('the report of a run')
    .option('--html <file>', 'write it as a page that needs no network')
    .action(async (run, flags) => (await import('../commands/report.ts')).reportCommand(run, flags));
  withCommon(root.command('rejects'))
    .argument('<action>', 'list')
    .description('rejected rows with file and place')
    .option('--dataset <name>', 'one dataset or stage only')
    .option('--code <code>', 'one code only')
    .option('--limit <n>', 'how many', '100')
    .action(async (action, flags) => (await import('../commands/rejects.ts')).rejectsCommand(action, flags));
}

function addValues(root: Command): void {
  withVerbose(root.command('explain'))
    .argument('<property>', 'address as people write it, or gnaf_pid')
    .argument(
      '[value]',
      'an endpoint such as land-area-sqm or risks/flood, or a field such as property_zoning.code: since when and why it is what it is; avm: how the property is valued',
    )
    .summary('where a value came from: file and line, release, stage, run')
    .description('where everything that is served for a property came from')
    .option('--as-of <n>', 'as of an earlier publication')
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
    .option('--geojson', 'add the shapes of risks/…')
    .option('--level <level>', 'SAL, SA2, SA3, LGA or POA: what a suburb’s endpoint is asked for')
    .option('-q, --query <name=value>', 'any other parameter of the endpoint', collect, [])
    .description('the payload of an endpoint, from the published tables')
    .action(async (path, id, flags) => (await import('../commands/get.ts')).getCommand(path, id, flags));
  withCommon(root.command('match'))
    .summary('match addresses of a file with the loaded G-NAF')
    .description(
      'match addresses of a CSV file, or one a line from the standard input, with the loaded G-NAF',
    )
    .option('--file <csv>', 'file with a header; columns named as the fields of an address complete the text')
    .option('--column <name>', 'column of the address (default: address)')
    .option('--state <state>', 'match with the addresses of one state only, for example VIC')
    .action(async (flags) => (await import('../commands/match.ts')).matchCommand(flags));
}

function addProof(root: Command): void {
  withCommon(root.command('digest', { hidden: true }))
    .description('one line for each serving table: name, rows, digest of the content')
    .option('--as-of <n>', 'as of an earlier publication')
    .action(async (flags) => (await import('../commands/inspect.ts')).digestCommand(flags));
  withCommon(root.command('evaluate', { hidden: true }))
    .description(
      'train and judge the valuation model on the stored sales, or on a file of sales or rents, which needs no database',
    )
    .option('--sales <file>', 'delimited file of sales or rents; without it, what the database has')
    .option('--map <file>', 'how its columns make sales; config/maps/ has an example')
    .option('--kind <kind>', 'sale or rent, of what the database has', 'sale')
    .option('--split <share>', 'last share of the sales that is judged', '0.15')
    .option('--folds <n>', 'windows in time that this share is cut into; each has models of its own', '1')
    .option('--lag-days <n>', 'days before a sale that everything known of it must be dated', '14')
    .option('--groups', 'train again without each group of features, to say what it is worth')
    .option('--report <file>', 'write a page with tables and plots')
    .action(async (flags) => (await import('../commands/evaluate.ts')).evaluateCommand(flags));
}
