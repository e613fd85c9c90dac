import { BarChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { Markup } from './html.ts';

use([BarChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

/** Bars of one or several series over the same names. */
export interface BarsOf {
  title: string;
  names: readonly string[];
  series: readonly { name: string; values: readonly number[] }[];
}

const WIDTH = 960;
const BAR_HEIGHT = 22;

/** Horizontal bars as SVG, drawn here: the page needs no script. */
export function bars({ title, names, series }: BarsOf): Markup {
  const height = 90 + names.length * BAR_HEIGHT * series.length;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  try {
    chart.setOption({
      animation: false,
      title: { text: title, textStyle: { fontSize: 14 } },
      legend: series.length > 1 ? { right: 0, top: 0 } : undefined,
      grid: { left: 190, right: 30, top: 36, bottom: 30 },
      xAxis: { type: 'value' },
      yAxis: { type: 'category', data: [...names], inverse: true },
      series: series.map(({ name, values }) => ({ type: 'bar', name, data: [...values] })),
    });
    return new Markup(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}
