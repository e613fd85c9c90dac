import { describe, expect, it } from 'vitest';
import { runProvenance } from '../../../pipelines/report/run_provenance.ts';
import { configSchema } from '../../../schema/config.ts';

describe('the provenance of a run', () => {
  it('lists the program, the datasets and the changed settings, without a secret', () => {
    const config = configSchema.parse({
      database: { url: 'postgresql://etl:hunter2@db.example/prices' },
      ops: { token: 'hunter2-hunter2-hunter2' },
      queue: { redis_url: 'redis://:hunter2@cache.example' },
      parcel: { nearest_m: 7 },
      datasets: { gnaf: { adapter: 'gnaf', path: 'g-naf.zip' } },
    });
    const { version, node, settings } = runProvenance(config);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(node).toBe(process.version);
    expect(settings).toMatchObject({ 'parcel.nearest_m': '7', 'datasets.gnaf': '"gnaf"' });
    expect(JSON.stringify(settings)).not.toMatch(/hunter2|example/);
    expect(runProvenance(configSchema.parse({ datasets: {} })).settings).toEqual({});
  });
});
