/** How this program was called, as one would type it again: as a command of the path, or by npx, which a checkout has too. */
const calledAs = (): string =>
  /[\\/]pipeline$/.test(process.argv[1] ?? '') && process.env.npm_command !== 'exec'
    ? 'pipeline'
    : 'npx pipeline';

/** A command of this program as it can be typed: `typed('status')` is `npx pipeline status` in a checkout. */
export const typed = (command: string): string => `${calledAs()} ${command}`;
