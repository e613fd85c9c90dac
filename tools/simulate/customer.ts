import { loadConfig } from '../../cli/load_config.ts';
import { startService } from '../../service/server.ts';
import { setUpAccounts } from '../../store/accounts/account_set_up.ts';
import { addCredit, createKey, openAccount } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';
import { withClient } from '../kills/kill_checks.ts';

const CREDIT_CENTS = 1_000_000;

/** A customer of the service, who remembers the answers that came. */
export class Customer {
  readonly #account: number;
  readonly #key: string;
  readonly #answered = new Set<string>();
  /** Calls without an answer that is paid: refused, or broken off. */
  #others = 0;

  private constructor(account: number, key: string) {
    this.#account = account;
    this.#key = key;
  }

  static async open(url: string): Promise<Customer> {
    await withClient(url, setUpAccounts);
    const pool = openPool(url, 1);
    try {
      const { account } = await openAccount(pool, 'simulated');
      const { key } = await createKey(pool, account.account_id, 'simulated');
      await addCredit(pool, account.account_id, 'topup', CREDIT_CENTS, null);
      return new Customer(account.account_id, key);
    } finally {
      await pool.end();
    }
  }

  /** Calls a service of its own so many times, one call after the other. */
  async call(url: string, calls: number): Promise<void> {
    const pids = await withClient(url, async (client) =>
      (
        await client.query<{ pid: string }>('SELECT gnaf_pid AS pid FROM serving.property ORDER BY 1')
      ).rows.map(({ pid }) => pid),
    );
    const { config } = await loadConfig({ set: ['service.port=0', 'service.loop_delay_ms=60000'] }, {});
    const service = await startService(url, config);
    try {
      for (let i = 0; i < calls; i++) await this.#callOnce(service.base_url, pids[(i * 7) % pids.length]!);
    } finally {
      await service.close();
    }
  }

  async #callOnce(base: string, pid: string): Promise<void> {
    try {
      const answer = await fetch(`${base}/v1/properties/${pid}/profile`, {
        headers: { authorization: `Bearer ${this.#key}`, connection: 'close' },
      });
      if (answer.ok && (await answer.text()).startsWith('{"data":{'))
        this.#answered.add(answer.headers.get('x-request-id')!);
      else this.#others++;
    } catch {
      this.#others++;
    }
  }

  get answered(): number {
    return this.#answered.size;
  }

  /** What is wrong with the account: each answer is paid once, nothing else is paid, and the balance is the sum of the ledger. */
  wrong(url: string): Promise<string[]> {
    return withClient(url, async (client) => {
      const wrong: string[] = [];
      const { rows } = await client.query<{ id: string; charges: number; kept: boolean }>(
        `SELECT request_id::text AS id, count(*) FILTER (WHERE kind = 'charge')::int AS charges, sum(cents) < 0 AS kept
         FROM account.ledger WHERE account_id = $1 AND kind IN ('charge', 'adjustment') GROUP BY 1`,
        [this.#account],
      );
      const paid = new Set(rows.filter(({ kept, charges }) => kept && charges === 1).map(({ id }) => id));
      const unpaid = [...this.#answered].filter((id) => !paid.has(id));
      if (unpaid.length > 0) wrong.push(`${unpaid.length} answers are not paid once: ${unpaid[0]}`);
      const extra = [...paid].filter((id) => !this.#answered.has(id)).length;
      if (extra > this.#others)
        wrong.push(`${extra} calls are paid that had no answer, of ${this.#others} without`);
      const sums = await client.query<{ holds: boolean; balance: string }>(
        `SELECT a.balance_cents = sum(l.cents) AS holds, a.balance_cents::text AS balance
         FROM account.account a JOIN account.ledger l USING (account_id) WHERE account_id = $1 GROUP BY a.account_id, a.balance_cents`,
        [this.#account],
      );
      if (!sums.rows[0]!.holds)
        wrong.push(`the balance ${sums.rows[0]!.balance} is not the sum of the ledger`);
      return wrong;
    });
  }
}
