import { Command, CommanderError } from 'commander';
import { programVersion } from '../pipelines/report/program_version.ts';
import { maskText } from '../store/mask_url.ts';
import { EXIT, exitOf } from './exit.ts';
import { addOperations } from './operations.ts';
import { guardOutput, printLine, say } from './print.ts';

const collect = (value: string, all: string[]): string[] => [...all, value];

/** Flags that every command takes. */
function withCommon(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file (default: pipeline.yaml where it exists)')
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
const withVerbose = (command: Command): Command =>
  withCommon(command).option('--verbose', 'all of it, where the short form says how much there is besides');

/** The flags by which a refresh is asked for: now, by schedule or by way of the queue. */
const withRefresh = (command: Command): Command =>
  withCommon(command)
    .option('--rehash', 'hash every file again, even where size and time are as remembered')
    .option(
      '--tables <names>',
      'bring these serving tables up to date with all that they are made from and refer to, and no others; joined by commas',
    )
    .option('--distribute', 'hand the batches of stages to workers on other machines too');

function program(): Command {
  const root = new Command('pipeline')
    .description(
      'Builds the serving tables of the property and suburb data API from the publishers’ releases.',
    )
    .version(programVersion(), '-V, --version', 'the version of the program')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void printLine(text.trimEnd()),
      writeErr: (text) => say(text.trimEnd()),
    })
    .showHelpAfterError('(pipeline --help lists the commands)');
  withRefresh(root.command('refresh'))
    .description('load what changed, compute what depends on it, audit and publish')
    .option(
      '--only <names>',
      'look at these datasets alone, or run these stages and what they read from; joined by commas',
    )
    .option(
      '--skip <names>',
      'leave these datasets as they are loaded, or these stages and what reads from them as computed',
    )
    .option('--accept <check>', 'take a failed audit check, for example rows:property', collect, [])
    .option('--verbose', 'the whole report, of what is unchanged too')
    .option('--reason <text>', 'why it is accepted; recorded with the publication')
    .option(
      '--retrain',
      'train the models on the sales as they are now, instead of waiting for the next month',
    )
    .option('--evidence <file>', 'train the models on what another database wrote by export --evidence')
    .action(async (flags) => (await import('./commands/refresh.ts')).refreshCommand(flags));
  withCommon(root.command('plan'))
    .description('what a refresh would do, and why')
    .action(async (flags) => (await import('./commands/inspect.ts')).planCommand(flags));
  withCommon(root.command('fetch'))
    .argument('[datasets...]', 'datasets (default: all that say where they are fetched from)')
    .description('download the newest releases of datasets from their publishers')
    .option('--check', 'say whether there is something newer, and download nothing')
    .option('--due', 'ask only where the cadence of the dataset makes a newer release possible')
    .option('--force', 'download also what is there')
    .action(async (names, flags) => (await import('./commands/fetch.ts')).fetchCommand(names, flags));
  withVerbose(root.command('status'))
    .description('what is loaded and published, and how the last runs ended')
    .action(async (flags) => (await import('./commands/inspect.ts')).statusCommand(flags));
  root
    .command('inspect <files...>')
    .description(
      'what stands in files (layers, columns, values, CRS), and the datasets that they could be read as: adapter, state and field map',
    )
    .option('--json', 'JSON for machines')
    .action(async (files, flags) =>
      (await import('./commands/inspect_file.ts')).inspectFileCommand(files, flags),
    );
  root
    .command('init')
    .argument('<folder>', 'folder of releases, in whatever order')
    .description('write a commented configuration of the releases in a folder; nothing is replaced')
    .option('--out <file>', 'configuration to write', 'pipeline.yaml')
    .option(
      '--licence <name>',
      'licence of all whose adapter names no open one; repeatable as <publisher>=<name>, by state, folder, adapter or dataset',
      collect,
      [],
    )
    .option('--json', 'JSON for machines')
    .action(async (folder, flags) => (await import('./commands/init.ts')).initCommand(folder, flags));
  withVerbose(root.command('sources'))
    .description('each loaded dataset: release and its age, rows, rejects, CRS, coverage, licence, last load')
    .action(async (flags) => (await import('./commands/sources.ts')).sourcesCommand(flags));
  withCommon(root.command('digest'))
    .description('one line for each serving table: name, rows, digest of the content')
    .option('--as-of <n>', 'as of an earlier publication')
    .action(async (flags) => (await import('./commands/inspect.ts')).digestCommand(flags));
  withVerbose(root.command('explain'))
    .argument('<gnaf_pid>', 'address')
    .argument(
      '[field]',
      'one value, such as land_area_sqm or property_zoning.code: since when and why; avm: how it is valued',
    )
    .description('where everything that is served for a property came from')
    .option('--as-of <n>', 'as of an earlier publication')
    .action(async (pid, field, flags) =>
      (await import('./commands/inspect.ts')).explainCommand(pid, field, flags),
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
    .action(async (path, id, flags) => (await import('./commands/get.ts')).getCommand(path, id, flags));
  withCommon(root.command('match'))
    .description(
      'match addresses of a CSV file, or one a line from the standard input, with the loaded G-NAF',
    )
    .option('--file <csv>', 'file with a header; columns named as the fields of an address complete the text')
    .option('--column <name>', 'column of the address (default: address)')
    .option('--state <state>', 'match with the addresses of one state only, for example VIC')
    .action(async (flags) => (await import('./commands/match.ts')).matchCommand(flags));
  withVerbose(root.command('doctor'))
    .description('the effective configuration with the origin of each value, and what is wrong with it')
    .action(async (flags) => (await import('./commands/doctor.ts')).doctorCommand(flags));
  withRefresh(root.command('worker'))
    .description(
      'do the refreshes that are scheduled or asked for, and batches of those that distribute, until stopped; with flags of a refresh, the configured schedule asks for that one',
    )
    .option('--batches', 'take batches only, which needs no files of the datasets')
    .option('--drain <s>', 'seconds to let what is in hand finish when stopped', '60')
    .action(async (flags) => (await import('./commands/jobs.ts')).workerCommand(flags));
  withRefresh(root.command('schedule'))
    .argument('[job]', 'avm or cma; without it, a refresh')
    .description(
      'when refreshes and jobs run by themselves; with --cron, --tz or --remove, change the schedule of the same job or --tables',
    )
    .option('--cron <fields>', "five cron fields, for example '0 2 * * *'")
    .option('--tz <zone>', 'time zone of the cron fields, for example Australia/Sydney')
    .option('--remove', 'no schedule until one is set or a worker starts')
    .action(async (job, flags) => (await import('./commands/jobs.ts')).scheduleCommand(job, flags));
  withRefresh(root.command('enqueue'))
    .argument('[job]', 'avm or cma; without it, a refresh')
    .description('ask the workers for a refresh or a job')
    .action(async (job, flags) => (await import('./commands/jobs.ts')).enqueueCommand(job, flags));
  addOperations(root, withCommon);
  withCommon(root.command('evaluate'))
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
    .action(async (flags) => (await import('./commands/evaluate.ts')).evaluateCommand(flags));
  root
    .command('sample')
    .description(
      'write the sample country: a small Australia in the publishers’ own formats, with its known truth',
    )
    .requiredOption('--out <dir>', 'folder to write to')
    .option('--properties <n>', 'number of properties', '10000')
    .option('--seed <n>', 'seed; equal seeds give equal bytes', '1')
    .option('--json', 'print JSON for machines')
    .action(async (flags) => (await import('./commands/sample.ts')).sampleCommand(flags));
  withVerbose(root.command('demo'))
    .description('generate the sample country, refresh from it, and show what was published')
    .option('--properties <n>', 'number of properties', '10000')
    .option('--seed <n>', 'seed', '1')
    .action(async (flags) => (await import('./commands/sample.ts')).demoCommand(flags));
  return root;
}

async function main(): Promise<void> {
  guardOutput();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The embedded server stops by itself when this process ends; an open transaction rolls back; the next run resumes.
    process.once(signal, () => {
      say(`\n${signal}: stopped. Run the same command again to resume.`);
      process.exit(EXIT.interrupted);
    });
  }
  try {
    await program().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      return;
    }
    const { connectionError, operatorError } = await import('../store/connection_error.ts');
    const known = connectionError(error) ?? operatorError(error);
    const { message: said, stack = '' } = known ?? (error as Error);
    const message = maskText(said);
    const code = known?.code ?? 'internal';
    if (process.argv.includes('--json'))
      printLine(JSON.stringify({ error: { code, message, details: known?.details ?? {} } }));
    else say(`error ${code}: ${message}${known ? '' : `\n${maskText(stack)}`}`);
    process.exitCode = exitOf(code);
  }
}

await main();
(await import('./progress.ts')).closeProgress();
