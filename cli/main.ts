import { CommanderError } from 'commander';
import { maskText } from '../store/system/mask_url.ts';
import { EXIT, exitOf } from './exit.ts';
import { guardOutput, printLine, printStatus } from './print.ts';
import { program } from './program.ts';
import { currentCommand } from './renamed_commands.ts';

async function main(): Promise<void> {
  guardOutput();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // When this process ends, the embedded server stops, an open transaction rolls back, and the next run resumes.
    process.once(signal, () => {
      printStatus(`\n${signal}: stopped. Run the same command again to resume.`);
      process.exit(EXIT.interrupted);
    });
  }
  try {
    const { args, hint } = currentCommand(process.argv.slice(2));
    if (hint !== null) printStatus(hint);
    await program().parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      return;
    }
    const { connectionError, operatorError } = await import('../store/system/connection_error.ts');
    const describedError = connectionError(error) ?? operatorError(error);
    const { message: said, stack = '' } = describedError ?? (error as Error);
    const message = maskText(said);
    const code = describedError?.code ?? 'internal';
    if (process.argv.includes('--json'))
      printLine(JSON.stringify({ error: { code, message, details: describedError?.details ?? {} } }));
    else printStatus(`error ${code}: ${message}${describedError ? '' : `\n${maskText(stack)}`}`);
    process.exitCode = exitOf(code);
  }
}

await main();
(await import('./progress.ts')).closeProgress();
