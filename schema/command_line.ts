/** How this process was called, as one would type it again: by npm in a checkout, by npx, or as a command of the path. */
function calledAs(): string {
  if (!/[\\/]pipeline$/.test(process.argv[1] ?? '')) return 'npm run pipeline --';
  return process.env.npm_command === 'exec' ? 'npx pipeline' : 'pipeline';
}

/** A command of this program as it can be typed: `typed('status')` is `npm run pipeline -- status` in a checkout. */
export const typed = (command: string): string => `${calledAs()} ${command}`;
