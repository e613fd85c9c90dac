import { describe, expect, it } from 'vitest';
import { ago, html, htmlTable, moment, spanText } from '../../ops/html.ts';

const NOW = Date.parse('2026-11-25T10:30:00Z');
const textOf = ({ text }: { text: string }): string => text.replaceAll(/<[^>]*>/g, '');

describe('times of the console', () => {
  it('says how long something lasts in its largest unit', () => {
    expect([0.4, 1, 59, 60, 7199, 86_400, 3 * 86_400].map(spanText)).toEqual([
      '0 seconds',
      '1 second',
      '59 seconds',
      '1 minute',
      '1 hour',
      '1 day',
      '3 days',
    ]);
  });

  it('shows a time relative to now, with the full timestamp in datetime', () => {
    expect(textOf(ago('2026-11-25T08:15:00Z', NOW))).toBe('2 hours ago');
    // A clock that is ahead of this one.
    expect(textOf(ago('2026-11-25T10:31:00Z', NOW))).toBe('0 seconds ago');
    for (const iso of ['2026-11-24T23:59:59Z', '2026-11-24T23:59:59.999Z', '2026-11-25T10:59:59+11:00'])
      expect(textOf(moment(iso))).toBe('2026-11-24 23:59 UTC');
    expect(textOf(moment('2026-11-24'))).toBe('2026-11-24');
    expect(textOf(moment(null))).toBe('');
    expect(ago('2026-11-25T08:15:00Z', NOW).text).toContain(
      'datetime="2026-11-25T08:15:00Z" title="2026-11-25 08:15 UTC"',
    );
  });
});

describe('a table', () => {
  it('gives each cell the title of its column, for a screen that has no room for columns', () => {
    expect(htmlTable(['a', 'b'], [['<x>', 5]]).text).toContain(
      '<td data-label="a">&lt;x&gt;</td><td data-label="b" class="n">5</td>',
    );
  });

  it('hides columns that are empty throughout, and shows a zero', () => {
    const rows = [
      ['', 0, '', null, html` `],
      ['', 0, '', undefined, html``],
    ];
    const head = ['a', 'b', 'c', 'd', 'e'];
    expect([...htmlTable(head, rows).text.matchAll(/<th[^>]*>(.)</g)].map(([, name]) => name)).toEqual([
      'a',
      'b',
    ]);
    for (const whole of [
      htmlTable(head, rows, true),
      htmlTable(head, []),
      htmlTable(head, [...rows, ['', 0, 'x', 'y', 'z']]),
    ])
      expect(whole.text.match(/<th /g)).toHaveLength(5);
  });

  it('keeps amounts on one line, and leaves other text alone', () => {
    for (const amount of ['$1,333,000', '−3.1 %', '$550 – $600', '+0.4 %'])
      expect(htmlTable(['a'], [[amount]]).text).toContain(`<td data-label="a" class="n">${amount}</td>`);
    for (const other of ['2026-06-01', '12', '$1 to', '3 %)', 'x'])
      expect(htmlTable(['a'], [[other]]).text).toContain(`<td data-label="a">${other}</td>`);
  });
});
