/** Words to colour on a terminal: at the start of a line, or in the status column of a list. */
const BAD = /^( *)(error \w+|fail(?:ed)?|refused|interrupted|kept)(?=[\s:,]|$)/gm;
const MIND = /^( *)(warn(?:ing)?|accepted|removed|still)(?=[\s:,]|$)/gm;
const RUN = /^( *run \d+: )(published|unchanged|failed|refused|interrupted)/gm;
const GOOD = new Set(['published', 'unchanged']);

const paint = (code: number, text: string): string => `\u001b[${code}m${text}\u001b[39m`;

/** True if a stream shows colours: a terminal, unless NO_COLOR is set (https://no-color.org). */
export const takesColour = (stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';

/** Colours problems in red and yellow. The text must be safe to print. */
export const coloured = (text: string): string =>
  text
    .replace(RUN, (_all, before, state) => before + paint(GOOD.has(state) ? 32 : 31, state))
    .replace(BAD, (_all, before, word) => before + paint(31, word))
    .replace(MIND, (_all, before, word) => before + paint(33, word));
