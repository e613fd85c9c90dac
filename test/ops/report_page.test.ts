import { describe, expect, it } from 'vitest';
import { reportPage } from '../../ops/report_page.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import type { RunDetail } from '../../pipelines/views/run_detail.ts';
import { ratioStudy } from '../../transforms/stats/ratio_study.ts';

const REPORT: RunReport = {
  run_id: 4,
  command: 'refresh',
  state: 'published',
  publication: 3,
  datasets: [],
  stages: [],
  rejects: [{ code: 'short_row', source: 'gnaf', rows: 2, example: 'a', examples: ['<b>a</b>', 'second'] }],
  set_aside: [],
  audit: [
    { check: 'rows:property', table: 'property', status: 'accepted', message: 'fewer rows' },
    { check: 'keys:property', table: 'property', status: 'pass', message: 'keys are unique.' },
  ],
  tables: [],
  notes: [],
  seconds: 1,
  peak_memory_mb: 1,
  error: null,
};

const prices = Float64Array.of(500_000, 800_000, 1_000_000);
const estimates = Float64Array.of(550_000, 800_000, 900_000);
const DETAIL: RunDetail = {
  suburbs: [
    { sal: 'Abbotsford (Vic.)', state: 'VIC', properties: 900, lon: 145, lat: -37.8, share: 0.9 },
    { sal: 'Hobart', state: 'TAS', properties: 300, lon: 147.3, lat: -42.9, share: 0.25 },
  ],
  suburbs_known: 7000,
  fields: [
    { field: 'property.lon', state: 'TAS', share: 1 },
    { field: 'property.lon', state: 'VIC', share: 0.995 },
    { field: 'property_avm.predicted_price', state: 'VIC', share: 0.4 },
  ],
  models: [
    {
      kind: 'sale',
      region: 'VIC',
      part: 'boosted',
      ratios: estimates.map((estimate, i) => estimate / prices[i]!),
      ...ratioStudy(estimates, prices),
    },
  ],
};

describe('the page of a run', () => {
  it('shows coverage of suburbs and fields, and the ratio study', () => {
    const text = reportPage(REPORT, DETAIL);
    expect(text).toContain('Values of the 2 largest of 7,000 suburbs');
    // Worst first.
    expect(text.indexOf('>Hobart</td>')).toBeLessThan(text.indexOf('>Abbotsford (Vic.)</td>'));
    expect(text).toContain('--share:40%');
    expect(text).toContain('Estimate over price of 3 sales (boosted trees)');
    // Ratios 1.1, 1 and 0.9: median 1, errors 10, 0 and 10 %, mean deviation 6.7 %; the ratio falls as value rises.
    for (const figure of ['>10</td>', '>1</td>', '>6.67</td>', '>-0.22</td>'])
      expect(text, figure).toContain(figure);
    expect(text).not.toMatch(/NaN|undefined|<script/);
  });

  it('names what did not pass, folds away what did, and lets no markup of data through', () => {
    const text = reportPage(REPORT);
    expect(text).toContain('1 passed, 1 accepted.');
    expect(text.indexOf('fewer rows')).toBeLessThan(text.indexOf('<details>'));
    expect(text.indexOf('keys are unique.')).toBeGreaterThan(text.indexOf('<details>'));
    expect(text).toContain('&lt;b&gt;a&lt;/b&gt;');
    expect(text).not.toContain('Ratio study');
  });
});
