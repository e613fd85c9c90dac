import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { packModel } from '../../../transforms/avm/artefact.ts';
import { heldSales, holdoutFigures } from '../../../transforms/avm/holdout.ts';
import { GATE_LIMITS } from '../../../transforms/avm/model_gates.ts';
import { valueHomes } from '../../../transforms/avm/predict.ts';
import { promoteModel } from '../../../transforms/avm/promote.ts';
import { trainAvm } from '../../../transforms/avm/train.ts';
import { inCanonicalOrder, selectHomes, selectSales } from '../../../transforms/property/home_table.ts';
import { dayOf } from '../../../transforms/stats/calendar.ts';
import { QUICK, syntheticCity } from './synthetic_city.ts';

const MAY = dayOf({ year: 2022, month: 5, day: 1 });
const JUNE = dayOf({ year: 2022, month: 6, day: 1 });
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const CITY = inCanonicalOrder(syntheticCity(2400, 4, 882));
const options = (as_of: number) => ({ kind: 'sale', as_of, digest }) as const;

describe('the model of a region', () => {
  const clean = promoteModel(CITY, options(JUNE), QUICK);
  // A month of prices that are a third too low or a half too high: too near to be outliers.
  const broken = {
    ...CITY,
    price: CITY.price.map((price, i) =>
      CITY.day[i]! < MAY ? price : i % 2 === 0 ? price * 0.67 : price * 1.5,
    ),
  };

  it('is the newest one where it passes its gates', () => {
    expect(clean).toMatchObject({ outcome: 'promoted', failures: [], challenger_id: clean.model.id });
    expect(clean.figures!.study.n).toBeGreaterThan(150);
    expect(clean.figures!.coverage_pct).toBeGreaterThan(70);
    expect(clean.model.as_of).toBe(JUNE);
  });

  it('is byte for byte that of the previous month if broken prices arrive', () => {
    const { model, outcome, failures, challenger_id } = promoteModel(broken, options(JUNE), QUICK);
    expect(outcome).toBe('kept');
    expect(failures.join(' ')).toMatch(/cod \d+\.\d+ is above/);
    expect(challenger_id).not.toBe(model.id);
    // What served in May, when nothing later was known.
    const then = promoteModel(
      selectSales(
        CITY,
        CITY.id.map((_, i) => i).filter((i) => CITY.day[i]! < MAY),
      ),
      options(MAY),
      QUICK,
    );
    expect(then.outcome).toBe('promoted');
    expect(Buffer.compare(packModel(then.model), packModel(model))).toBe(0);
  });

  it('has no trees if no month passes', () => {
    const impossible = { ...GATE_LIMITS, error_rise_max: -2, prd: [2, 3] as const };
    const { model, outcome, failures } = promoteModel(CITY, options(JUNE), QUICK, impossible);
    expect([outcome, model.boosted, failures.length]).toEqual(['reduced', null, 2]);
    expect(model.id).not.toBe(clean.model.id);
    const { evidence } = trainAvm(CITY, { ...options(JUNE), snapshot: 'x' }, QUICK);
    const [value] = valueHomes(model, evidence, selectHomes(CITY, [2000]), JUNE);
    expect(value!.estimate!.tier).toBe('ridge_local');
  });

  it('is not refused for a figure that is outside its limits in any month', () => {
    const difficult = { ...GATE_LIMITS, prd: [1.2, 1.3] as const };
    expect(promoteModel(CITY, options(JUNE), QUICK, difficult)).toMatchObject({
      outcome: 'promoted',
      failures: [],
    });
  });

  it('is not judged by few sales', () => {
    const few = promoteModel(
      selectSales(
        CITY,
        Array.from({ length: 900 }, (_, i) => i),
      ),
      options(JUNE),
      QUICK,
    );
    expect(few).toMatchObject({ outcome: 'not_judged', figures: null, failures: [] });
  });
});

describe('sales held back', () => {
  it('are judged with what was known on their day', () => {
    const { model } = trainAvm(CITY, { ...options(JUNE), snapshot: 'x' }, QUICK);
    const all = heldSales(model);
    expect(holdoutFigures(all.slice(0, 90))).toBeNull();
    const ledger = model.ledgers.boosted;
    const half = ledger.day[Math.floor(ledger.day.length * 0.8)]!;
    // Later prices, and so later errors, change no earlier estimate.
    const log_price = ledger.log_price.map((own, i) => (ledger.day[i]! > half ? own + 1 : own));
    const changed = heldSales({ ...model, ledgers: { ...model.ledgers, boosted: { ...ledger, log_price } } });
    const early = (held: typeof all) => held.filter(({ day }) => day <= half);
    expect(early(all).length).toBeGreaterThan(50);
    expect(early(changed)).toEqual(early(all));
    expect(changed).not.toEqual(all);
  });
});
