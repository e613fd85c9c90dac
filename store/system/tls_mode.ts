/**
 * Returns a PostgreSQL URL whose `sslmode=require` means what psql and servers' manuals mean by it: encrypted, whoever signed the
 * certificate. The client library would check the certificate as for verify-full, and warn.
 */
export function withLibpqTls(url: string): string {
  if (!/[?&]sslmode=(prefer|require)(&|$)/.test(url) || url.includes('uselibpqcompat=')) return url;
  return `${url}&uselibpqcompat=true`;
}
