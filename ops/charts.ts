import { BarChart, type BarSeriesOption, ScatterChart, type ScatterSeriesOption } from 'echarts/charts';
import {
  GridComponent,
  type GridComponentOption,
  LegendComponent,
  TitleComponent,
  type TitleComponentOption,
  VisualMapComponent,
} from 'echarts/components';
import { type ComposeOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { escapeHtml, Markup } from './html.ts';

use([
  BarChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  TitleComponent,
  VisualMapComponent,
  SVGRenderer,
]);

type Options = ComposeOption<
  BarSeriesOption | ScatterSeriesOption | GridComponentOption | TitleComponentOption
>;

const WIDTH = 960;
const BAR_HEIGHT = 22;
/** A map is no higher. */
const MAP_HEIGHT = 400;
const COLOURS = ['#9fb3c8', '#2f6db3'];

/** Draws a chart as SVG, here: the page needs no script. */
function draw(title: string, height: number, options: Options): Markup {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  try {
    chart.setOption({
      animation: false,
      title: { text: title, left: 0, textStyle: { fontSize: 14, color: '#51606e' } },
      ...options,
    });
    const svg = chart.renderToSVGString();
    const label = `aria-label="${escapeHtml(title)}"`;
    // On a phone it scrolls: shrunk to it, nobody could read it.
    return new Markup(
      `<div class="wide plot" tabindex="0" role="group" ${label}>${svg.replace('<svg ', `<svg role="img" ${label} `)}</div>`,
    );
  } finally {
    chart.dispose();
  }
}

/** Bars of one or several series over the same names. */
export interface BarsOf {
  title: string;
  names: readonly string[];
  series: readonly { name: string; values: readonly number[] }[];
}

/** Horizontal bars. */
export function bars({ title, names, series }: BarsOf): Markup {
  return draw(title, 90 + names.length * BAR_HEIGHT * series.length, {
    color: series.length > 1 ? COLOURS : COLOURS.slice(1),
    legend: series.length > 1 ? { right: 0, top: 0 } : undefined,
    grid: { left: 190, right: 30, top: 36, bottom: 30 },
    xAxis: { type: 'value' },
    yAxis: { type: 'category', data: [...names], inverse: true },
    series: series.map(({ name, values }) => ({ type: 'bar', name, data: [...values] })),
  } as Options);
}

/** Upright bars of counts in classes of equal width; the last class of either side takes what lies beyond. */
export function histogram(title: string, values: ArrayLike<number>, from: number, to: number): Markup {
  const classes = 24;
  const width = (to - from) / classes;
  const counts = new Array<number>(classes).fill(0);
  for (const value of Array.from(values))
    counts[Math.min(classes - 1, Math.max(0, Math.floor((value - from) / width)))]!++;
  return draw(title, 220, {
    color: COLOURS.slice(1),
    grid: { left: 60, right: 30, top: 48, bottom: 30 },
    xAxis: { type: 'category', data: counts.map((_, i) => (from + (i + 0.5) * width).toFixed(2)) },
    yAxis: { type: 'value' },
    series: [{ type: 'bar', data: counts, barCategoryGap: '8%' }],
  } as Options);
}

/** A dot on a map: degrees, a share from 0 to 1 that colours it, and a weight from 0 to 1 that sizes it. */
export interface Dot {
  lon: number;
  lat: number;
  share: number;
  weight: number;
}

/** Dots by longitude and latitude, as wide as they are high on the ground; coloured by share. */
export function dotMap(title: string, dots: readonly Dot[]): Markup {
  const span = (values: number[]): [number, number] => [
    Math.floor(values.reduce((a, b) => Math.min(a, b), 180) - 0.5),
    Math.ceil(values.reduce((a, b) => Math.max(a, b), -180) + 0.5),
  ];
  const [west, east] = span(dots.map((dot) => dot.lon));
  const [south, north] = span(dots.map((dot) => dot.lat));
  const inner = WIDTH - 190;
  const high = (inner * (north - south)) / ((east - west) * Math.cos(((south + north) * Math.PI) / 360));
  const shrink = Math.min(1, MAP_HEIGHT / high);
  return draw(title, Math.round(high * shrink) + 84, {
    grid: { left: 50, top: 48, width: Math.round(inner * shrink), height: Math.round(high * shrink) },
    xAxis: {
      type: 'value',
      min: west,
      max: east,
      axisLabel: { formatter: (x: number) => `${x.toFixed(0)}°`, showMaxLabel: false },
    },
    yAxis: {
      type: 'value',
      min: south,
      max: north,
      axisLabel: { formatter: (y: number) => `${(-y).toFixed(0)}° S` },
    },
    visualMap: {
      min: 0,
      max: 1,
      dimension: 2,
      right: 0,
      top: 40,
      text: ['all', 'none'],
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
  } as Options);
}
