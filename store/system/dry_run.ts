import type pg from 'pg';

/** Converts statements of a transaction to statements of a savepoint in another one. */
function nested(sql: string): string {
  if (/^BEGIN\b/i.test(sql)) return 'SAVEPOINT dry_run';
  if (/^COMMIT\b/i.test(sql)) return 'RELEASE SAVEPOINT dry_run';
  if (/^ROLLBACK$/i.test(sql)) return 'ROLLBACK TO SAVEPOINT dry_run';
  return sql;
}

/** Runs work in one transaction that is rolled back; transactions of the work become savepoints. Nothing is written. */
export async function dryRun<T>(
  client: pg.ClientBase,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const inside = new Proxy(client, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (key === 'query' && typeof args[0] === 'string') args[0] = nested(args[0]);
        return value.apply(target, args);
      };
    },
  });
  await client.query('BEGIN');
  try {
    return await work(inside);
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}
