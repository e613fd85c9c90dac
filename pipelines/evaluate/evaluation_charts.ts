import * as echarts from 'echarts';
import { median } from '../../transforms/stats/quantile.ts';
import type { EvaluatedSale, GroupFigures } from './error_figures.ts';

const WIDTH = 960;
const HEIGHT = 420;
/** Ratio limits of the plot; ratios beyond them are drawn at its edge. */
const RATIO_LOW = 0.5;
const RATIO_HIGH = 1.6;
/** Absolute log error with the strongest colour on the map. */
const FULL_COLOUR = 0.4;
/** Number of points of the median line, each for a tenth of the sales. */
const STEPS = 10;
/** Maximum dots of a plot; with more sales, every k-th is drawn. */
const MAX_DOTS = 6000;

/** Renders a plot as an SVG element. */
function svgOf(option: echarts.EChartsCoreOption, height = HEIGHT): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  chart.setOption({ animation: false, ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return withStableIds(svg);
}

/** Replaces the library's ids, which count up in the process, by their order in the text. */
function withStableIds(svg: string): string {
  const names = new Map<string, string>();
  return svg.replaceAll(/zr\d+-[\w-]+/g, (name) => {
    const stable = names.get(name) ?? `p${names.size}`;
    names.set(name, stable);
    return stable;
  });
}

function thinned<T>(sales: readonly T[]): readonly T[] {
  const step = Math.ceil(sales.length / MAX_DOTS);
  return step <= 1 ? sales : sales.filter((_, i) => i % step === 0);
}

const ratioOf = ({ estimate, price }: EvaluatedSale): number => estimate.price / price;
const clamped = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Plots the ratio of estimate to price over price, with the median of each tenth. */
export function ratioByPrice(sales: readonly EvaluatedSale[]): string {
  const sorted = [...sales].sort((a, b) => a.price - b.price || a.row - b.row);
  const line = Array.from({ length: STEPS }, (_, k) => {
    const binSales = sorted.slice(
      Math.floor((k * sorted.length) / STEPS),
      Math.floor(((k + 1) * sorted.length) / STEPS),
    );
    return binSales.length === 0
      ? []
      : [median(binSales.map(({ price }) => price)), rounded(median(binSales.map(ratioOf)), 4)];
  }).filter((point) => point.length > 0);
  const dots = thinned(sorted).map((sale) => [
    sale.price,
    rounded(clamped(ratioOf(sale), RATIO_LOW, RATIO_HIGH), 4),
  ]);
  return svgOf({
    grid: { left: 60, right: 20, top: 20, bottom: 50 },
    xAxis: {
      type: 'log',
      name: 'price',
      nameLocation: 'middle',
      nameGap: 30,
      min: 'dataMin',
      max: 'dataMax',
    },
    yAxis: { type: 'value', name: 'estimate / price', min: RATIO_LOW, max: RATIO_HIGH },
    series: [
      { type: 'scatter', symbolSize: 3, itemStyle: { color: '#0969da', opacity: 0.35 }, data: dots },
      { type: 'line', symbolSize: 6, lineStyle: { width: 2 }, itemStyle: { color: '#cf222e' }, data: line },
    ],
  });
}

/** Plots a metric of groups as bars, percent. */
export function barsByGroup(
  groups: readonly GroupFigures[],
  figure: 'median_abs_error_pct' | 'coverage_pct',
): string {
  return svgOf(
    {
      grid: { left: 60, right: 20, top: 20, bottom: 40 },
      xAxis: { type: 'category', data: groups.map(({ group, n }) => `${group} (${n})`) },
      yAxis: { type: 'value', name: '%' },
      series: [
        {
          type: 'bar',
          itemStyle: { color: '#0969da' },
          data: groups.map((group) => rounded(group[figure], 2)),
        },
      ],
    },
    260,
  );
}

/** Returns the colour of a log error: red above 0, blue below, grey at 0. */
function colourOf(error: number): string {
  const share = clamped(error / FULL_COLOUR, -1, 1);
  const fade = Math.round(200 * (1 - Math.abs(share)));
  return share >= 0 ? `rgb(207,${fade},${fade})` : `rgb(${fade},${fade},207)`;
}

/** Plots sales as dots on a map, coloured by the error of the estimate. */
export function errorMap(sales: readonly EvaluatedSale[]): string {
  const located = thinned(sales.filter(({ lon, lat }) => Number.isFinite(lon) && Number.isFinite(lat)));
  const data = located.map((sale) => ({
    value: [rounded(sale.lon, 5), rounded(sale.lat, 5)],
    itemStyle: { color: colourOf(Math.log(ratioOf(sale))) },
  }));
  return svgOf(
    {
      grid: { left: 60, right: 20, top: 20, bottom: 50 },
      xAxis: { type: 'value', scale: true, name: 'longitude', nameLocation: 'middle', nameGap: 30 },
      yAxis: { type: 'value', scale: true, name: 'latitude' },
      series: [{ type: 'scatter', symbolSize: 5, data }],
    },
    640,
  );
}
