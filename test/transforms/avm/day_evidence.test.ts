import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { packEvidence, unpackEvidence } from '../../../transforms/avm/day_evidence.ts';
import { valueHomes } from '../../../transforms/avm/predict.ts';
import { trainAvm } from '../../../transforms/avm/train.ts';
import { inCanonicalOrder, selectHomes } from '../../../transforms/property/home_table.ts';
import { FIRST_DAY, QUICK, syntheticCity } from './synthetic_city.ts';

/** The sales of a city over three times as many years, so that most are older than what searches look at. */
const city = syntheticCity(2500);
const CITY = inCanonicalOrder({ ...city, day: city.day.map((day) => FIRST_DAY + 3 * (day - FIRST_DAY)) });
const AS_OF = FIRST_DAY + 2400;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('evidence of a day', () => {
  const { model, evidence } = trainAvm(CITY, { kind: 'sale', as_of: AS_OF, snapshot: 'test', digest }, QUICK);
  const bytes = packEvidence(evidence, AS_OF);
  const packed = unpackEvidence(bytes);

  it('values homes as all of the evidence does: those that were sold, and those without coordinates', () => {
    const homes = selectHomes(
      CITY,
      Array.from({ length: 800 }, (_, i) => i * 3),
    );
    const lost = { ...homes, lon: homes.lon.fill(NaN, 0, 300), lat: homes.lat.fill(NaN, 0, 300) };
    const all = valueHomes(model, evidence, lost, AS_OF);
    expect(all.filter(({ estimate }) => estimate !== null).length).toBeGreaterThan(400);
    expect(valueHomes(model, packed, lost, AS_OF)).toEqual(all);
  });

  it('holds the sales that searches look at, and the last one of each property before', () => {
    const { sales } = packed.index;
    const properties = new Set(evidence.index.sales.property);
    expect(new Set(sales.property)).toEqual(properties);
    const old = [...sales.day].filter((day) => day < AS_OF - 14 - 731).length;
    expect(old).toBeGreaterThan(0);
    expect(sales.length).toBeLessThan(evidence.index.sales.length);
  });

  it('is packed to equal bytes, and is not read from others', () => {
    expect(Buffer.compare(packEvidence(evidence, AS_OF), bytes)).toBe(0);
    expect(() => unpackEvidence(bytes.subarray(0, 500))).toThrow(
      expect.objectContaining({ code: 'avm_artefact' }),
    );
  });
});
