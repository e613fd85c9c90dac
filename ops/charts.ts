import { type EChartsOption, init } from 'echarts';
import { escapeHtml, html, Markup } from './html.ts';

/** Widths of a chart in pixels: for windows and for phones. The page shows the one that fits. */
const WIDTHS = { 'for-window': 960, 'for-phone': 350 } as const;
const BAR_HEIGHT = 22;
/** Maximum height of a map, pixels. */
const MAP_HEIGHT = 400;
const COLOURS = ['#9fb3c8', '#2f6db3'];

/** Text and lines use the colours of the page, for light and dark mode. */
const SOFT = 'var(--soft)';
const LINE = { lineStyle: { color: 'var(--line)' } };
/** Builds an axis in these colours. */
const axis = (
  type: 'value' | 'category',
  { axisLabel, ...settings }: { [name: string]: unknown; axisLabel?: object } = {},
) => ({
  type,
  axisLine: LINE,
  axisTick: LINE,
  splitLine: LINE,
  ...settings,
  axisLabel: { color: SOFT, ...axisLabel },
});

/** Builds a chart for a width in pixels: its height and the options of ECharts. */
type Chart = (width: number) => { height: number; options: object };

/** Draws a chart as SVG on the server, so the page needs no script. Its title is text of the page, which breaks where it must. */
function draw(title: string, chartOf: Chart): Markup {
  return html`<p class="plot-title">${title}</p>${drawUntitled(title, chartOf)}`;
}

function drawUntitled(
  label: string,
  chartOf: Chart,
  widths: Readonly<Record<string, number>> = WIDTHS,
): Markup {
  const drawn = Object.entries(widths).map(([name, width]) => {
    const { height, options } = chartOf(width);
    const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
    try {
      chart.setOption({
        animation: false,
        backgroundColor: 'transparent',
        color: COLOURS.slice(1),
        ...options,
      } as EChartsOption);
      const start = `<svg class="${name}" role="img" aria-label="${escapeHtml(label)}" `;
      return chart.renderToSVGString().replace('<svg ', start);
    } finally {
      chart.dispose();
    }
  });
  return new Markup(`<div class="plot">${drawn.join('')}</div>`);
}

/** Draws a chart without a title, in one width that fits a card. */
const drawInCard = (label: string, height: number, options: object): Markup =>
  drawUntitled(label, () => ({ height, options }), { '': WIDTHS['for-phone'] });

const NARROW = 500;

/** Bars of one or several series over the same names. */
export interface BarsOf {
  title: string;
  names: readonly string[];
  series: readonly { name: string; values: readonly number[] }[];
}

export function bars({ title, names, series }: BarsOf): Markup {
  const several = series.length > 1;
  return draw(title, (width) => {
    const isNarrow = width < NARROW;
    const top = several ? 32 : 12;
    return {
      height: top + 54 + names.length * BAR_HEIGHT * series.length,
      options: {
        ...(several && {
          color: COLOURS,
          legend: { left: 0, top: 0, textStyle: { color: SOFT } },
        }),
        grid: { left: isNarrow ? 125 : 190, right: 30, top, bottom: 30 },
        xAxis: axis('value', { splitNumber: isNarrow ? 3 : 5 }),
        yAxis: axis('category', {
          data: [...names],
          inverse: true,
          axisLabel: { width: isNarrow ? 115 : 180, overflow: 'truncate' },
        }),
        series: series.map(({ name, values }) => ({ type: 'bar', name, data: [...values] })),
      },
    };
  });
}

/** Draws values in their order as a line from zero. */
export function linePlot(title: string, points: readonly { name: string; value: number }[]): Markup {
  return drawInCard(title, 170, {
    grid: { left: 58, right: 12, top: 12, bottom: 28 },
    xAxis: axis('category', { data: points.map(({ name }) => name) }),
    yAxis: axis('value', { splitNumber: 4 }),
    series: [{ type: 'line', data: points.map(({ value }) => value), symbolSize: 5 }],
  });
}

/** Draws counts in classes of equal width as vertical bars. The outer classes include everything beyond them. */
export function histogram(title: string, values: ArrayLike<number>, from: number, to: number): Markup {
  const classes = 24;
  const step = (to - from) / classes;
  const counts = new Array<number>(classes).fill(0);
  for (const value of Array.from(values))
    counts[Math.min(classes - 1, Math.max(0, Math.floor((value - from) / step)))]!++;
  return draw(title, (width) => ({
    height: 190,
    options: {
      grid: { left: width < NARROW ? 40 : 60, right: 10, top: 12, bottom: 30 },
      xAxis: axis('category', {
        data: counts.map((_, i) => (from + (i + 0.5) * step).toFixed(2)),
      }),
      yAxis: axis('value'),
      series: [{ type: 'bar', data: counts, barCategoryGap: '8%' }],
    },
  }));
}

/** A value with its interval, dollars. */
export interface ValueInterval {
  value: number;
  low: number;
  high: number;
}

export const dollars = (value: number): string => `$${value.toLocaleString('en-AU')}`;
/** Shortens dollars: `$1.25 m`, `$640 k`. */
export const shortDollars = (value: number): string =>
  value >= 999_500
    ? `$${Number((value / 1e6).toPrecision(3))}\u00a0m`
    : `$${Math.round(value / 1000)}\u00a0k`;

/** Draws an estimate, its interval as a band, and the prices of comparable sales as dots, on one scale. Narrow enough for a card. */
export function intervalPlot(
  title: string,
  { value, low, high }: ValueInterval,
  sales: readonly number[],
): Markup {
  const all = [low, high, value, ...sales];
  const band = (data: number[], color: string, width: number) => ({
    type: 'line',
    data: data.map((price) => [price, 0]),
    lineStyle: { color, width, cap: 'butt', opacity: 0.6 },
    symbol: 'none',
    z: 1,
  });
  return drawInCard(title, 84, {
    grid: { left: 20, right: 30, top: 26, height: 24 },
    xAxis: axis('value', {
      min: Math.floor((Math.min(...all) * 0.97) / 10_000) * 10_000,
      max: Math.ceil((Math.max(...all) * 1.03) / 10_000) * 10_000,
      splitNumber: 3,
      axisLabel: { formatter: shortDollars, hideOverlap: true },
    }),
    yAxis: { type: 'value', show: false, min: -1, max: 1 },
    series: [
      band([low, high], '#6ba3dd', 18),
      {
        type: 'scatter',
        data: sales.map((price) => [price, 0]),
        symbolSize: 10,
        itemStyle: { color: '#e8590c', borderColor: '#fff' },
      },
      {
        type: 'scatter',
        data: [[value, 0]],
        symbol: 'rect',
        symbolSize: [4, 30],
        itemStyle: { color: 'var(--ink)' },
        label: {
          show: true,
          position: 'top',
          color: 'var(--ink)',
          fontWeight: 'bold',
          formatter: dollars(value),
        },
      },
    ],
  });
}

/** A month of a series. `median`: dollars; null: too few sales. `sample`: number of sales behind it. */
interface SeriesMonth {
  month: string;
  median: number | null;
  sample: number;
}

/** Draws medians by month, from the first one, as a line, with the number of sales of each point as a bar below it. */
export function seriesChart(title: string, series: readonly SeriesMonth[]): Markup {
  const months = series.slice(
    Math.max(
      0,
      series.findIndex(({ median }) => median !== null),
    ),
  );
  return draw(title, () => {
    const side = { left: 60, right: 10 };
    const top = 36;
    const data = months.map(({ month }) => month.slice(0, 7));
    const x = (gridIndex: number, show: boolean) =>
      axis('category', { gridIndex, data, axisLabel: { show } });
    const y = (gridIndex: number, name: string, settings: object) =>
      axis('value', { gridIndex, name, nameTextStyle: { color: SOFT, align: 'left' }, ...settings });
    return {
      height: top + 290,
      options: {
        grid: [
          { ...side, top, height: 140 },
          { ...side, top: top + 180, height: 70 },
        ],
        xAxis: [x(0, false), x(1, true)],
        yAxis: [
          y(0, 'median', { scale: true, splitNumber: 4, axisLabel: { formatter: shortDollars } }),
          y(1, 'sales', { minInterval: 1, splitNumber: 2 }),
        ],
        series: [
          { type: 'line', data: months.map(({ median }) => median), symbolSize: 5 },
          {
            type: 'bar',
            xAxisIndex: 1,
            yAxisIndex: 1,
            data: months.map(({ sample }) => sample),
            itemStyle: { color: COLOURS[0] },
          },
        ],
      },
    };
  });
}

/** A dot on a map: degrees, a share from 0 to 1 for its colour, and a weight from 0 to 1 for its size. */
export interface Dot {
  lon: number;
  lat: number;
  share: number;
  weight: number;
}

/** Draws dots by longitude and latitude, true to scale, coloured by share. */
export function dotMap(title: string, dots: readonly Dot[]): Markup {
  const span = (values: number[]): [number, number] => [
    Math.floor(values.reduce((a, b) => Math.min(a, b), 180) - 0.5),
    Math.ceil(values.reduce((a, b) => Math.max(a, b), -180) + 0.5),
  ];
  const [west, east] = span(dots.map((dot) => dot.lon));
  const [south, north] = span(dots.map((dot) => dot.lat));
  return draw(title, (width) => {
    const isNarrow = width < NARROW;
    const inner = width - (isNarrow ? 110 : 190);
    const high = (inner * (north - south)) / ((east - west) * Math.cos(((south + north) * Math.PI) / 360));
    const shrink = Math.min(1, MAP_HEIGHT / high);
    const options = {
      grid: {
        left: isNarrow ? 40 : 50,
        top: 12,
        width: Math.round(inner * shrink),
        height: Math.round(high * shrink),
      },
      xAxis: axis('value', {
        min: west,
        max: east,
        splitNumber: isNarrow ? 3 : 5,
        axisLabel: { formatter: (x: number) => `${x.toFixed(0)}°`, showMaxLabel: false },
      }),
      yAxis: axis('value', {
        min: south,
        max: north,
        axisLabel: { formatter: (y: number) => `${(-y).toFixed(0)}° S` },
      }),
      visualMap: {
        min: 0,
        max: 1,
        dimension: 2,
        right: 0,
        top: 0,
        text: ['all', 'none'],
        textStyle: { color: SOFT },
        inRange: { color: ['#b3261e', '#e8b04a', '#1a7f4b'] },
      },
      series: [
        {
          type: 'scatter',
          data: dots.map(({ lon, lat, share, weight }) => [lon, lat, share, weight]),
          symbolSize: (value: number[]) => 4 + 12 * Math.sqrt(value[3]!),
          itemStyle: { opacity: 0.75 },
        },
      ],
    };
    return { height: Math.round(high * shrink) + 48, options };
  });
}
