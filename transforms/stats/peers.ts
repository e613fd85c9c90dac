/** Fewest peers, itself included, among which a rank says something. Source: our choice. */
export const MIN_PEERS = 5;
