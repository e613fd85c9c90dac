import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { WHOLE } from '../countries.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { sampleFolder } from '../published_sample.ts';
import { refreshSample } from './sample_run.ts';

const MARKET = ['gnaf', 'asgs', 'listings', 'reaxml_sa', 'nsw_psi', 'sales_tas'];

interface Told {
  gnaf_pid: string;
  form: string;
  features: string;
}

/** truth/market_events.csv by event_key. */
async function readTruth(dir: string): Promise<Map<string, Told>> {
  const [header, ...lines] = (await readFile(join(dir, 'truth/market_events.csv'), 'utf8'))
    .trim()
    .split('\n');
  const names = header!.split(',');
  return new Map(
    lines.map((line) => {
      const row = Object.fromEntries(line.split(',').map((value, i) => [names[i]!, value]));
      return [row.event_key!, row as unknown as Told];
    }),
  );
}

describe('the market of the sample country', () => {
  let dir: string;
  let database: TestDatabase;
  let truth: Map<string, Told>;

  beforeAll(async () => {
    dir = await sampleFolder(WHOLE);
    const path = join(dir, 'config.yaml');
    const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
    const market = Object.entries(config.datasets).filter(([name]) => MARKET.includes(name));
    expect(market.map(([name]) => name).sort()).toEqual([...MARKET].sort());
    await writeFile(path, stringify({ ...config, datasets: Object.fromEntries(market) }));
    truth = await readTruth(dir);
    database = await createDatabase();
    expect((await refreshSample(database, dir)).error).toBeNull();
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('is matched to the right homes, and to none where the text does not say which', async () => {
    const rows = await database.query<{ event_key: string; gnaf_pid: string | null }>(
      'SELECT event_key, gnaf_pid FROM asset.event_match',
    );
    const known = rows.filter(({ event_key }) => truth.has(event_key));
    expect(known.length / truth.size).toBeGreaterThan(0.99);
    const wrong = known.filter(({ event_key, gnaf_pid }) => {
      const told = truth.get(event_key)!;
      return gnaf_pid !== null && gnaf_pid !== told.gnaf_pid;
    });
    expect(wrong).toEqual([]);
    const findable = known.filter(({ event_key }) => truth.get(event_key)!.form !== 'no_number');
    const found = findable.filter(({ gnaf_pid }) => gnaf_pid !== null);
    expect(found.length / findable.length).toBeGreaterThan(0.97);
  });

  it('shows a sale once, whoever reports it', async () => {
    const [both] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.property_event WHERE type = 'Sold' AND cardinality(sources) = 2`,
    );
    expect(both!.n).toBeGreaterThan(0);
    const twice = await database.query(
      `SELECT a.gnaf_pid, a.date, b.date FROM serving.property_event a JOIN serving.property_event b
         ON a.gnaf_pid = b.gnaf_pid AND a.event_id < b.event_id AND abs(a.date - b.date) <= 60
       WHERE a.type = 'Sold' AND b.type = 'Sold'`,
    );
    expect(twice).toEqual([]);
  });

  it('keeps every matched record in one event', async () => {
    const [counts] = await database.query<{ records: number; listed: number; distinct: number }>(
      `SELECT (SELECT count(*)::int FROM asset.matched_event) AS records, count(*)::int AS listed, count(DISTINCT k)::int AS distinct
       FROM serving.property_event, unnest(event_keys) k`,
    );
    expect(counts).toEqual({ records: counts!.records, listed: counts!.records, distinct: counts!.records });
  });

  it('states the features that the advertisements were written with', async () => {
    const rows = await database.query<{ event_key: string; features: string[] }>(
      `SELECT event_key, features FROM asset.matched_event WHERE event_type = 'listed' AND features IS NOT NULL`,
    );
    let [right, missed, invented] = [0, 0, 0];
    for (const { event_key, features } of rows) {
      const told = truth.get(event_key);
      if (!told) continue;
      const expected = told.features.split(';').filter((name) => name !== '');
      for (const name of expected) features.includes(name) ? right++ : missed++;
      invented += features.filter((name) => !expected.includes(name)).length;
    }
    expect(right).toBeGreaterThan(50);
    expect(missed / (right + missed)).toBeLessThan(0.02);
    expect(invented / (right + invented)).toBeLessThan(0.02);
  });
});
