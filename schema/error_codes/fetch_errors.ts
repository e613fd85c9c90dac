/** Errors of fetching releases by code: what happened, what to do. */
export const FETCH_ERRORS = {
  config_not_fetchable: [
    'The command fetch was given a dataset that does not say where it is fetched from, or without --due there is none that does.',
    'Add fetch.url or fetch.ckan to the dataset; config/national.yaml has examples.',
  ],
  config_missing_variable: [
    'A header or URL of fetch names an environment variable that is not set.',
    'Set the variable; secrets stand in the environment, never in the configuration.',
  ],
  source_unavailable: [
    'A publisher did not give its file: no answer, an error, a redirect to nowhere, or a download that broke off too often.',
    'Do as the message says, or fetch again later: what arrived is kept, and what was fetched before stays in use.',
  ],
  download_damaged: [
    'What a publisher sends is not the file: a page of HTML, cut off, or of another kind.',
    'Open the address in a browser; correct the address or fetch.user_agent, or fetch again later.',
  ],
  download_too_large: [
    'A download is larger than downloads.max_mb or fetch.max_mb allows; nothing of it is kept.',
    'Look at what the address sends; if the release is that large, raise fetch.max_mb of the dataset.',
  ],
  download_mismatch: [
    'A complete download has another size or hash than the configuration or the portal states.',
    'Find out whether the publisher replaced the file; then correct fetch.sha256 or set fetch.ckan.verify to false.',
  ],
  download_altered: [
    'The files of a fetched release are not as they were fetched.',
    'Run fetch with --force for the dataset.',
  ],
  no_such_resource: [
    'A CKAN package has no resource that the pattern of the dataset matches.',
    'Correct fetch.ckan.resource by the names that the message lists.',
  ],
  ambiguous_resource: [
    'The pattern of a dataset matches several resources of the same date.',
    'Make fetch.ckan.resource match the wanted one only.',
  ],
  fetch_locked: [
    'Another process is fetching the dataset.',
    'Wait for it; its lock counts for nothing once it has ended.',
  ],
  not_fetched: [
    'A dataset is read from what was fetched, and nothing is.',
    'Run fetch for the dataset, then refresh.',
  ],
} as const satisfies Record<string, readonly [string, string]>;
