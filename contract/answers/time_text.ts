/** Writes a time as people read it: `2026-06-01 02:10 UTC`. A date without a time is written `2026-06-01`. */
export const timeText = (iso: string): string =>
  /^\d{4}-\d\d-\d\d$/.test(iso) ? iso : `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
