import { Command } from 'commander';
import { programVersion } from '../pipelines/report/program_version.ts';
import { typed } from '../schema/command_line.ts';
import { EXAMPLES } from './examples.ts';
import { addAdminister } from './groups/administer.ts';
import { addInspectCommands } from './groups/inspect.ts';
import { addLoad } from './groups/load.ts';
import { addPublish } from './groups/publish.ts';
import { addServe } from './groups/serve.ts';
import { addStart } from './groups/start.ts';
import { printLine, printStatus } from './print.ts';

/** Command groups of the first help screen, each with an example next to its title. */
const GROUPS: readonly [title: string, example: string, add: (root: Command) => void][] = [
  ['Start', EXAMPLES.demo!, addStart],
  ['Load', EXAMPLES.refresh!, addLoad],
  ['Look', EXAMPLES.explain!, addInspectCommands],
  ['Publish', EXAMPLES.diff!, addPublish],
  ['Serve', EXAMPLES.serve!, addServe],
  ['Administer', EXAMPLES.admin!, addAdminister],
];

/** Adds the examples of a command and its subcommands to the end of its help. */
function addExample(command: Command): void {
  command.addHelpText('after', `\nExample:\n  ${typed(EXAMPLES[command.name()]!)}`);
  for (const below of command.commands) addExample(below);
}

/** Builds the command line: every command with its flags and action. */
export function program(): Command {
  const root = new Command('pipeline')
    .description(
      'Builds the serving tables of the property and suburb data API from the publishers’ releases.',
    )
    .version(programVersion(), '-V, --version', 'the version of the program')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void printLine(text.trimEnd()),
      writeErr: (text) => printStatus(text.trimEnd()),
    })
    .showHelpAfterError('(pipeline --help lists the commands)');
  for (const [title, example, add] of GROUPS) {
    root.commandsGroup(`${title}, for example ${typed(example)}`);
    add(root);
  }
  root.helpCommand(true);
  for (const command of root.commands) addExample(command);
  return root.addHelpText('after', `\nFlags and an example of a command: ${typed('<command> --help')}`);
}
