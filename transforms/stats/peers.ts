/** Minimum peers, including itself, for a meaningful rank. Source: our choice. */
export const MIN_PEERS = 5;
