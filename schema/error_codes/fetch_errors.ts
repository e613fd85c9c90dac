/** Errors of fetching releases by code: what happened, and what to do. */
export const FETCH_ERRORS = {
  config_not_fetchable: [
    'The dataset given to fetch has no download address. Or fetch ran without --due, and no dataset has one.',
    'Add fetch.url or fetch.ckan to the dataset; config/national.yaml has examples.',
  ],
  config_missing_variable: [
    'A header or URL of fetch names an environment variable that is not set.',
    'Set the variable; secrets belong in the environment, never in the configuration.',
  ],
  source_unavailable: [
    'A publisher did not deliver its file: no answer, an error, a broken redirect, or a download that broke off too often.',
    'Follow the message, or fetch again later. The downloaded part is kept, and the previous release stays in use.',
  ],
  download_damaged: [
    'The download is not the expected file: an HTML page, a truncated file, or another format.',
    'Open the address in a browser; correct the address or fetch.user_agent, or fetch again later.',
  ],
  download_too_large: [
    'A download is larger than downloads.max_mb or fetch.max_mb allows; none of it is kept.',
    'Check what the address sends; if the release is that large, raise fetch.max_mb of the dataset.',
  ],
  download_mismatch: [
    'The size or hash of a complete download differs from what the configuration or the portal states.',
    'Find out whether the publisher replaced the file; then correct fetch.sha256 or set fetch.ckan.verify to false.',
  ],
  download_altered: [
    'The files of a fetched release have changed since the fetch.',
    'Run fetch with --force for the dataset.',
  ],
  no_such_resource: [
    'A CKAN package has no resource that the pattern of the dataset matches.',
    'Correct fetch.ckan.resource; the message lists the names.',
  ],
  ambiguous_resource: [
    'The pattern of a dataset matches several resources of the same date.',
    'Make fetch.ckan.resource match only the one you want.',
  ],
  fetch_locked: ['Another process is fetching the dataset.', 'Wait for it; its lock ends with the process.'],
  not_fetched: [
    'A dataset reads from a fetched release, and none has been fetched.',
    'Run fetch for the dataset, then refresh.',
  ],
} as const satisfies Record<string, readonly [string, string]>;
