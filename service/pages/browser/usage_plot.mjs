import { centsText, el } from './page.mjs';

/** Maximum endpoints with a colour of their own; the others share the last colour. */
const CHARTED = 7;
const COLOURS = ['#1d5fa8', '#e08a1e', '#3f9b57', '#b3423f', '#7a5ca8', '#4aa3a8', '#8a6d3b', '#9aa7b4'];
/** Pixels: start of the plot after its labels, its height, and the least distance between labels of days. */
const [LEFT, HEIGHT, DAY_WIDTH] = [70, 220, 60];
const WORDS = { 'font-size': 12, style: 'fill:var(--soft)' };

function inSvg(tag, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  return node;
}

/** Cents by endpoint, in the order of the usage. */
function totalsOf(usage) {
  const totals = new Map();
  for (const { endpoint, cents } of usage) totals.set(endpoint, (totals.get(endpoint) || 0) + cents);
  return totals;
}

/** Smallest step of 1, 2 or 5 times a power of ten whose fourfold reaches the largest sum. */
function tickOf(sums) {
  const most = Math.max(4, ...sums) / 4;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].find((each) => each * power >= most) * power;
}

/** Draws lines at five amounts, with their labels. `yOf`: position of an amount. */
const axisOf = (tick, yOf, width) =>
  [0, 1, 2, 3, 4].flatMap((step) => {
    const y = yOf(step * tick);
    return [
      inSvg('line', { x1: LEFT, x2: width, y1: y, y2: y, style: 'stroke:var(--line)' }),
      inSvg(
        'text',
        { x: LEFT - 8, y: y + 4, 'text-anchor': 'end', class: 'tick', ...WORDS },
        centsText(step * tick),
      ),
    ];
  });

/** Draws the spend of a day as bars on top of one another. */
function barsOf(rows, charted, yOf, { x, width }) {
  let sum = 0;
  return rows.map(({ day, endpoint, calls, cents }) => {
    const position = charted.indexOf(endpoint);
    const fill = COLOURS[position < 0 ? CHARTED : position];
    const y = yOf(sum + cents);
    const rect = inSvg('rect', { x, y, width, height: yOf(sum) - y, fill });
    rect.append(inSvg('title', {}, `${day} ${endpoint}: ${calls} calls, ${centsText(cents)}`));
    sum += cents;
    return rect;
  });
}

/** Lists the charted endpoints with their colours and sums. */
const legendOf = (charted, totals) =>
  el(
    'table',
    {},
    ...charted.map((endpoint, i) => {
      const mark = el('td', { textContent: '\u25a0' });
      mark.style.color = COLOURS[i];
      return el(
        'tr',
        {},
        mark,
        el('td', {}, el('code', { textContent: endpoint })),
        el('td', { textContent: centsText(totals.get(endpoint)) }),
      );
    }),
  );

/** Draws the spend by day and endpoint, with a legend. `width`: pixels. */
export function plotUsage(usage, width) {
  if (usage.length === 0) return [el('p', { textContent: 'No calls were charged in the last 31 days.' })];
  const totals = totalsOf(usage);
  const charted = [...totals]
    .sort((a, b) => b[1] - a[1])
    .slice(0, CHARTED)
    .map(([endpoint]) => endpoint);
  const days = [...new Set(usage.map(({ day }) => day))].sort();
  const rowsByDay = days.map((day) => usage.filter((row) => row.day === day));
  const tick = tickOf(rowsByDay.map((rows) => rows.reduce((sum, { cents }) => sum + cents, 0)));
  const yOf = (cents) => HEIGHT - (cents / (4 * tick)) * (HEIGHT - 12);
  const step = (width - LEFT) / days.length;
  const barWidth = Math.min(60, step * 0.7);
  const labelEvery = Math.ceil((days.length * DAY_WIDTH) / (width - LEFT));
  const svg = inSvg('svg', {
    viewBox: `0 0 ${width} ${HEIGHT + 24}`,
    width: '100%',
    role: 'img',
    'aria-label': 'Spend in dollars by day and endpoint',
  });
  svg.append(...axisOf(tick, yOf, width));
  days.forEach((day, i) => {
    const x = LEFT + i * step + (step - barWidth) / 2;
    svg.append(...barsOf(rowsByDay[i], charted, yOf, { x, width: barWidth }));
    if (i % labelEvery > 0) return;
    const label = { x: x + barWidth / 2, y: HEIGHT + 17, 'text-anchor': 'middle', ...WORDS };
    svg.append(inSvg('text', label, day.slice(5)));
  });
  return [svg, legendOf(charted, totals)];
}
