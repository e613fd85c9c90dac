import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { digestSql } from '../../store/tables/table_rows.ts';
import { planNights } from '../../tools/simulate/plan.ts';
import { type Settings, simulate } from '../../tools/simulate/simulation.ts';

const SEED = 7;
const NIGHTS = 8;
const settings = (more: Partial<Settings> = {}): Settings => ({
  seed: SEED,
  nights: NIGHTS,
  rebuildEvery: 4,
  log: () => undefined,
  ...more,
});

describe('a simulation of nights', () => {
  it('plans the same from the same seed, and other nights from another', () => {
    expect(planNights(3, 100, 10)).toEqual(planNights(3, 100, 10));
    expect(planNights(3, 100, 10).slice(0, 49)).toEqual(planNights(3, 50, 10).slice(0, 49));
    expect(planNights(4, 100, 10)).not.toEqual(planNights(3, 100, 10));
  });

  it('plans every fault, edit and decision within 100 nights', () => {
    const nights = planNights(3, 100, 10);
    const faults = nights.flatMap(({ faults }) => faults);
    const kinds = new Set(faults.map((fault) => (fault.kind === 'kill' ? fault.victim : fault.kind)));
    expect([...kinds].sort()).toEqual(
      'clock cut_link freeze process server session sessions slow_link stalled_link'.split(' '),
    );
    expect(new Set(nights.flatMap(({ edits }) => edits)).size).toBe(7);
    expect(new Set(nights.map(({ operator }) => operator)).size).toBe(5);
    expect(faults.some((fault) => fault.kind === 'clock' && fault.then_h < 0)).toBe(true);
  });

  it(`serves what a rebuild serves, after ${NIGHTS} nights`, async () => {
    const { seconds, ...summary } = await simulate(settings());
    console.log(`simulated in ${seconds.toFixed(0)} s: ${JSON.stringify(summary)}`);
    expect(summary).toMatchObject({ nights: NIGHTS, rebuilds: 2 });
    const struck = Object.keys(summary.faults).filter((name) => !name.endsWith('not met'));
    expect(struck.length).toBeGreaterThan(2);
    expect(summary.publications).toBeGreaterThan(NIGHTS / 2);
    expect(summary.answered).toBeGreaterThan(0);
  });

  const CHANGE = `UPDATE serving.property SET building_name = 'OTHER' WHERE gnaf_pid = (SELECT min(gnaf_pid) FROM serving.property)`;
  /** Changes a row, and the record of its cell too, which only a rebuild shows. */
  const changeRecorded = async (client: pg.Client): Promise<void> => {
    await client.query(CHANGE);
    const columns = Object.keys(SERVING_TABLES.find(({ name }) => name === 'property')!.columns);
    await client.query(
      `UPDATE control.published p SET digest = s.digest FROM (SELECT cell, ${digestSql(columns)} AS digest FROM serving.property GROUP BY 1) s
       WHERE p.table_name = 'property' AND p.cell = s.cell`,
    );
  };
  it.each([
    [
      'served row',
      (client: pg.Client) => client.query(CHANGE),
      'served rows of property that are not recorded',
    ],
    ['served row and its record', changeRecorded, 'only served: table property '],
  ])('fails where somebody changes a %s', async (_, tamper, message) => {
    const failing = simulate(settings({ nights: 1, tamper: async (client) => void (await tamper(client)) }));
    await expect(failing).rejects.toThrow(message);
    await expect(failing).rejects.toThrow(
      /^seed 7, night 1: .*plan: \{"number":1.*npm run simulate -- --seed 7 --nights 1 --rebuild-every 4$/s,
    );
  });
});
