import { expect, it } from 'vitest';
import { renderSources, renderSourcesBriefly } from '../../cli/render_sources.ts';
import type { CatalogueEntry } from '../../pipelines/publish/catalogue.ts';
import { aged } from '../../pipelines/views/dataset_view.ts';
import { CADENCE_OF } from '../../sources/cadence.ts';
import { ADAPTERS } from '../../sources/index.ts';

it('every adapter has a rhythm, and no other name has', () => {
  expect(Object.keys(CADENCE_OF).sort()).toEqual(ADAPTERS.map(({ name }) => name).sort());
});

const source: CatalogueEntry = {
  dataset: 'gnaf',
  adapter: 'gnaf',
  title: 'G-NAF',
  publisher: 'Geoscape Australia',
  release: 'NOVEMBER 2025',
  release_date: '2025-11-01',
  crs: 'EPSG:7844',
  parts: ['VIC'],
  records: 1234,
  rejects: 1,
  left_out: 2,
  coverage: [{ theme: 'flood', state: 'VIC', areas: ['20110', '20260'] }],
  licence: 'Open G-NAF EULA',
  attribution: 'G-NAF',
  cadence: 'quarterly',
  cadence_days: 120,
  loaded_at: '2025-11-20T01:02:03Z',
};

it.each([
  ['2026-03-01', 120, false],
  ['2026-03-02', 121, true],
])('on %s a quarterly release is %i days old, late: %s', (today, age_days, is_late) => {
  expect(aged(source, today)).toMatchObject({ age_days, is_late });
});

it('counts from the load where the label states no day, and never calls late what has no rhythm', () => {
  const other = { ...source, release_date: null, cadence_days: null };
  expect(aged(other, '2025-11-22')).toMatchObject({ age_days: 2, is_late: null });
});

it('prints an unknown age where the label states no day, and never calls that in time', () => {
  const undated = { ...source, release_date: null };
  const print = (today: string, of = undated): string =>
    renderSources({ sources: [aged(of, today)], not_loaded: [], failed: [], adapters: [] });
  expect(print('2025-11-20')).toContain('age unknown, loaded 0 days ago (quarterly, at most 120)');
  expect(print('2026-05-20')).toContain('age unknown, loaded 181 days ago, LATE (quarterly, at most 120)');
  expect(print('2025-11-21', { ...undated, cadence_days: null })).toContain('loaded 1 day ago, quarterly');
});

it('prints release, rows, coverage and licence', () => {
  const text = renderSources({
    sources: [aged(source, '2026-04-01')],
    not_loaded: ['census'],
    failed: [
      {
        dataset: 'census',
        failed: { run_id: 3, at: '2026-03-31T00:00:00Z', error: 'bad_zip: it is no zip' },
      },
    ],
    adapters: ['gnaf'],
  });
  for (const part of [
    'NOVEMBER 2025, 151 days old, LATE',
    '1,234 records, 1 rejected, 2 left out',
    'flood VIC (2 councils)',
    'Open G-NAF EULA',
    'not loaded: census',
    'census failed in run 3, 2026-03-31 00:00 UTC: bad_zip: it is no zip',
  ])
    expect(text).toContain(part);
});

it('is brief: a screen of datasets, those that are late first, and what is not loaded', () => {
  const many = [...Array(40).keys()].map((i) => ({
    ...aged(source, i < 39 ? '2026-02-01' : '2026-04-01'),
    dataset: `set_${i}`,
    rejects: 0,
  }));
  const failed = [
    { dataset: 'census', failed: { run_id: 3, at: '2026-03-31T00:00:00Z', error: 'bad_zip: no zip' } },
  ];
  const text = renderSourcesBriefly({ sources: many, not_loaded: ['census'], failed, adapters: ['gnaf'] });
  const lines = text.split('\n');
  expect(lines.length).toBeLessThan(24);
  expect(lines[0]).toBe('40 datasets loaded, 1 late');
  expect(lines[1]).toMatch(/^ {2}set_39 .*151 days, LATE/);
  expect(text).toContain('… and 25 more');
  expect(text).toContain('census failed in run 3');
});
