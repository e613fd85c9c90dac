import type { Queryable } from './accounts.ts';

/** A state's property and suburb that the sandbox key unlocks. */
export interface SandboxSample {
  state: string;
  sal: string;
  gnaf_pid: string;
}

export async function pinnedSamples(client: Queryable): Promise<SandboxSample[]> {
  const { rows } = await client.query<SandboxSample>(
    'SELECT state, sal, gnaf_pid FROM account.sandbox_sample ORDER BY state',
  );
  return rows;
}

/** Pins samples; `replaced` are the samples that they replace. The first process to pin a state decides. */
export async function pinSamples(
  client: Queryable,
  samples: readonly SandboxSample[],
  replaced: readonly SandboxSample[],
): Promise<void> {
  for (const { state, sal, gnaf_pid } of samples) {
    const old = replaced.find((each) => each.state === state);
    await client.query(
      `INSERT INTO account.sandbox_sample AS s (state, sal, gnaf_pid) VALUES ($1, $2, $3)
       ON CONFLICT (state) DO UPDATE SET sal = excluded.sal, gnaf_pid = excluded.gnaf_pid, pinned_at = now()
       WHERE s.gnaf_pid = $4`,
      [state, sal, gnaf_pid, old?.gnaf_pid ?? null],
    );
  }
}
