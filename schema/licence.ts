/** Licences that allow this project's use; any other must be accepted by name in the configuration. */
export const OPEN_LICENCES: readonly string[] = [
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-3.0-AU',
  'CC-BY',
  'ODbL-1.0',
  'CDLA-Permissive-2.0',
  'Open G-NAF EULA',
  'generated',
];

/** Words that restrict an open licence, or name an additional one. */
const RESTRICTED =
  /\b(nc|nd|sa|non ?commercial|no ?deriv\w*|share ?alike|must|not|no|only|except\w*|accept\w*|restrict\w*|terms|evaluation|research|internal)\b/;
/** The project's own mark, which no further text may follow. */
const MARK = 'generated';

/** Returns a licence without case and punctuation: `CC-BY 4.0` and `Creative Commons Attribution 4.0 (CC BY)` then start with the same text. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/creative commons attribution/g, 'cc by')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

/** Names of open licences, longest first, so that a version is not read as text after a name without one. */
const OPEN = OPEN_LICENCES.map(plain).sort((a, b) => b.length - a.length);

/**
 * Returns whether a licence is open in any spelling: `CC BY 4.0`, `CC-BY-4.0 © State of Victoria`. False if the text after the name
 * restricts it or names another version.
 */
export function isOpenLicence(licence: string): boolean {
  const text = plain(licence);
  const name = OPEN.find((each) => text === each || (each !== MARK && text.startsWith(`${each} `)));
  if (name === undefined) return false;
  const suffix = text.slice(name.length);
  return !RESTRICTED.test(suffix) && !/^ \d/.test(suffix);
}

/** Licence of adapters that read deliveries of any publisher. */
const AS_CONFIGURED = 'as configured';

/** Licences that apply to a dataset. */
export interface StatedLicence {
  /** Licence in the configuration. Null: none. */
  readonly stated: string | null;
  /** Licence of its adapter. */
  readonly own: string;
}

/** Returns why a dataset's licence prevents reading it, and what to do; the text of the error, of doctor and of init. Null: the licence is open. */
export function closedLicence(id: string, { stated, own }: StatedLicence): string | null {
  if (isOpenLicence(stated ?? own)) return null;
  const key = `datasets.${id}`;
  if (stated !== null)
    return `Dataset ${id} is under the licence "${stated}", which is not an open one. Read its terms; to use it, set ${key}.accept_licence: "${stated}".`;
  if (own === AS_CONFIGURED)
    return `Dataset ${id} states no licence, and its adapter knows none. Set ${key}.licence to that of the delivery.`;
  return `Dataset ${id} states no licence, and its adapter names several, not all of them open. Set ${key}.licence to that of the delivery; or read the terms and set ${key}.accept_licence: "${own}".`;
}
