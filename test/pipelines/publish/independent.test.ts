import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIndependent } from '../../../pipelines/publish/independent/facts.ts';
import type { AuditCheck } from '../../../pipelines/report/report.ts';
import { type Country, WHOLE } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { loadedDatabase, sampleFolder } from '../../published_sample.ts';
import { refreshSample } from '../sample_run.ts';

/** The country with every dataset, so that each table has facts. */
const COUNTRY: Country = WHOLE;

describe('the independent audit', () => {
  let database: TestDatabase;
  let dir: string;
  let first: AuditCheck[];

  beforeAll(async () => {
    database = await loadedDatabase(COUNTRY);
    dir = await sampleFolder(COUNTRY);
    const report = await refreshSample(database, dir, ['audit.sample=40']);
    expect(report.error).toBeNull();
    first = report.audit.filter(isIndependent);
  });
  afterAll(() => database?.drop());

  it('passes a first publication with facts of each table', () => {
    expect(first.map(({ check, status }) => `${check} ${status}`)).toEqual([
      'independent:property pass',
      'independent:property_neighbour pass',
      'independent:property_risk pass',
      'independent:property_proximity pass',
    ]);
    for (const { message } of first)
      expect(message).toMatch(
        /^[1-9]\d* facts of 40 of 900 changed homes \(seed 1\) recomputed by Turf: none/,
      );
  });
});
