/** Returns how this program was called, ready to type again: as a command on the PATH, or through npx, which also works in a checkout. */
const calledAs = (): string =>
  /[\\/]pipeline$/.test(process.argv[1] ?? '') && process.env.npm_command !== 'exec'
    ? 'pipeline'
    : 'npx pipeline';

/** Returns a command of this program ready to type: `typed('status')` is `npx pipeline status` in a checkout. */
export const typed = (command: string): string => `${calledAs()} ${command}`;
