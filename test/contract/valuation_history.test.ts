import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { ask } from '../../contract/answers/ask.ts';
import { avm } from '../../contract/property/valuation.ts';
import { valuationHistory } from '../../contract/property/valuation_history.ts';
import { rollback } from '../../pipelines/run/rollback.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { openPool, withClient } from '../../store/database.ts';
import { readAsOf } from '../../store/read/past_serving.ts';
import { openServing } from '../../store/read/serving.ts';
import { WHOLE } from '../countries.ts';
import { deliverListings } from '../pipelines/night_deliveries.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { type PublishedSample, publishedSample } from '../published_sample.ts';

/** An estimate as the answer of a publication has it, or its reason. */
type Estimate = Record<string, unknown> & { prediction_date: string; predicted_price: number | null };
const NO_ESTIMATE = {
  predicted_price: null,
  predicted_price_low: null,
  predicted_price_high: null,
  confidence_score: null,
};

describe('the estimates of a home by month', () => {
  let sample: PublishedSample;
  let db: Serving;
  let pids: string[];
  /** The estimates of all homes that each publication served. */
  const served = new Map<number, Map<string, Estimate>>();

  const record = async (publication: number): Promise<void> => {
    const all = new Map<string, Estimate>();
    const dates = await sample.database.query<{ gnaf_pid: string; prediction_date: string }>(
      'SELECT gnaf_pid, prediction_date::text FROM serving.property_avm',
    );
    const dateOf = new Map(dates.map(({ gnaf_pid, prediction_date }) => [gnaf_pid, prediction_date]));
    for (const pid of pids) {
      const { data, no_data } = (await ask(avm, db, pid)) as { data: Estimate | null; no_data?: string };
      all.set(pid, data ?? { ...NO_ESTIMATE, prediction_date: dateOf.get(pid)!, no_data });
    }
    served.set(publication, all);
  };
  const publishMonth = async (date: string, step: number, bedrooms?: number): Promise<void> => {
    await deliverListings(sample.dir, step, date, bedrooms);
    const { publication, error } = await refreshSample(sample.database, sample.dir, OPEN_GATES, {
      eventsOnly: true,
    });
    expect(error).toBeNull();
    await record(publication!);
  };
  const rollbackTo = async (to: number): Promise<void> => {
    const { config } = await loadConfig({ config: join(sample.dir, 'config.yaml') }, {});
    const { publication } = await rollback({ url: sample.database.url, config, to, reason: 'test' });
    await record(publication!);
  };
  /** What publications served of a home, the last one of each month counting, newest first. */
  const recorded = (pid: string, publications: readonly number[]): Estimate[] => {
    const months = new Map<string, Estimate>();
    for (const publication of publications) {
      const estimate = served.get(publication)!.get(pid)!;
      months.set(estimate.prediction_date.slice(0, 7), estimate);
    }
    const estimates = [...months.values()];
    if (estimates.every(({ predicted_price }) => predicted_price === null)) return [];
    return estimates.sort((a, b) => (a.prediction_date < b.prediction_date ? 1 : -1));
  };
  const historyOf = async (from: Serving, pid: string) => (await ask(valuationHistory, from, pid)).data ?? [];
  const without = (history: Awaited<ReturnType<typeof historyOf>>) =>
    history.map(({ publication: _publication, published_at: _at, ...estimate }) => estimate);

  beforeAll(async () => {
    sample = await publishedSample(WHOLE);
    db = openServing(sample.database.url);
    await sql`SET ROLE api_reader`.execute(db);
    pids = (
      await sample.database.query<{ gnaf_pid: string }>(
        'SELECT gnaf_pid FROM serving.property ORDER BY gnaf_pid',
      )
    )
      .map(({ gnaf_pid }) => gnaf_pid)
      .filter((_, i) => i % 4 === 0);
    await record(1);
    await publishMonth('2026-07-15', 40);
    await publishMonth('2026-07-16', 7);
    await publishMonth('2026-08-15', 50);
  });

  afterAll(async () => {
    await db?.destroy();
    await sample?.database.drop();
    await rm(sample.dir, { recursive: true, force: true });
  });

  it('are those that publications served, the last of each month, newest first', async () => {
    let months = 0;
    let changed = 0;
    for (const pid of pids) {
      const history = await historyOf(db, pid);
      expect(without(history), pid).toEqual(recorded(pid, [1, 2, 3, 4]));
      for (const { publication, published_at, ...estimate } of history) {
        expect(served.get(publication)!.get(pid), pid).toEqual(estimate);
        expect(Date.parse(published_at)).toBeGreaterThan(0);
      }
      months = Math.max(months, history.length);
      if (new Set(history.map(({ predicted_price }) => predicted_price)).size > 1) changed++;
    }
    expect(months).toBe(3);
    expect(changed).toBeGreaterThan(20);
  });

  it('as of an earlier publication are those that it knew', async () => {
    const pool = openPool(sample.database.url, 1);
    try {
      await withClient(pool, (client) =>
        readAsOf(client, 3, async (db) => {
          for (const pid of pids)
            expect(without(await historyOf(db, pid)), pid).toEqual(recorded(pid, [1, 2, 3]));
        }),
      );
    } finally {
      await pool.end();
    }
  });

  it('have a reason if no publication has one: that of the estimate', async () => {
    const none = pids.filter((pid) =>
      [...served.values()].every((all) => all.get(pid)!.predicted_price === null),
    );
    expect(none.length).toBeGreaterThan(0);
    for (const pid of none) {
      const { no_data } = (await ask(avm, db, pid)) as { no_data: string };
      const reason = `no_valuation_history_for_${pid}`;
      expect(await ask(valuationHistory, db, pid)).toMatchObject({ data: null, no_data, reason });
    }
    expect(await ask(valuationHistory, db, 'GANONE')).toMatchObject({ no_data: 'unknown_property' });
  });

  it('are null in a month in which an event took the home out of the evidence, with the reason', async () => {
    await publishMonth('2026-08-16', 4, 7);
    let gone = 0;
    for (const pid of pids) {
      const history = await historyOf(db, pid);
      expect(without(history), pid).toEqual(recorded(pid, [1, 2, 3, 4, 5]));
      const [before, now] = [served.get(4)!.get(pid)!, served.get(5)!.get(pid)!];
      if (before.predicted_price === null || now.predicted_price !== null) continue;
      gone++;
      expect(history[0], pid).toMatchObject({ ...NO_ESTIMATE, no_data: 'outside_evidence', publication: 5 });
    }
    expect(gone).toBeGreaterThan(3);
  });

  it('leave out the month that a rollback withdrew, and take the month that is published again', async () => {
    await rollbackTo(2);
    for (const pid of pids) expect(without(await historyOf(db, pid)), pid).toEqual(recorded(pid, [1, 2, 6]));
    expect(recorded(pids[0]!, [1, 2, 6]).length).toBeLessThan(3);
  });

  it('begin with the oldest publication that is kept', async () => {
    await sample.database.query('UPDATE control.publication SET pruned = true WHERE publication_id <= 2');
    await sample.database.query('DELETE FROM control.change WHERE publication_id <= 2');
    let estimates = 0;
    for (const pid of pids) {
      const history = await historyOf(db, pid);
      expect(without(history), pid).toEqual(recorded(pid, [2, 6]));
      estimates += history.length;
    }
    expect(estimates).toBeGreaterThan(0);
  });
});
