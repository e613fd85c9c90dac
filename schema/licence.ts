/** Licences that allow the use this project makes of them; any other must be accepted by name in the configuration. */
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

/** Words that take back what an open licence allows, or name another one beside it. */
const RESTRICTED =
  /\b(nc|nd|sa|non ?commercial|no ?deriv\w*|share ?alike|must|not|no|only|except\w*|accept\w*|restrict\w*|terms|evaluation|research|internal)\b/;
/** A mark of the project's own, behind which no text stands. */
const MARK = 'generated';

/** A licence without case and punctuation: `CC-BY 4.0` and `Creative Commons Attribution 4.0 (CC BY)` begin alike. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/creative commons attribution/g, 'cc by')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

/** The open names, the longer ones first, so that a version is no text behind a name without one. */
const OPEN = OPEN_LICENCES.map(plain).sort((a, b) => b.length - a.length);

/**
 * Whether a licence is an open one however it is spelled: `CC BY 4.0`, `CC-BY-4.0 © State of Victoria`. Not so where the text behind the name
 * restricts it or names another version.
 */
export function isOpenLicence(licence: string): boolean {
  const text = plain(licence);
  const name = OPEN.find((each) => text === each || (each !== MARK && text.startsWith(`${each} `)));
  if (name === undefined) return false;
  const rest = text.slice(name.length);
  return !RESTRICTED.test(rest) && !/^ \d/.test(rest);
}

/** What stands as the licence of adapters that read deliveries of anybody. */
const AS_CONFIGURED = 'as configured';

/** The licence of a dataset, and who says so. */
export interface StatedLicence {
  /** As the configuration states it; null: it does not. */
  readonly stated: string | null;
  /** That of its adapter. */
  readonly own: string;
}

/** Why a dataset is not read for its licence, and what to do: the words of the error, of doctor and of init. Null: it is open. */
export function closedLicence(id: string, { stated, own }: StatedLicence): string | null {
  if (isOpenLicence(stated ?? own)) return null;
  const key = `datasets.${id}`;
  if (stated !== null)
    return `Dataset ${id} is under the licence "${stated}", which is not an open one. Read its terms; to use it, set ${key}.accept_licence: "${stated}".`;
  if (own === AS_CONFIGURED)
    return `Dataset ${id} states no licence, and its adapter knows none. Set ${key}.licence to that of the delivery.`;
  return `Dataset ${id} states no licence, and its adapter names several, not all of them open. Set ${key}.licence to that of the delivery; or read the terms and set ${key}.accept_licence: "${own}".`;
}
