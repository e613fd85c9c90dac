import type { StageReport } from '../../pipelines/report/report.ts';
import type { Piece, RunTimeline } from '../../pipelines/report/timeline.ts';
import { html, type Markup } from '../html.ts';

/** Pieces that are drawn: the longest. */
const DRAWN = 40;
const [LEFT, WIDTH, ROW, LANE] = [220, 880, 18, 22];

const kindOf = (name: string): string =>
  name.startsWith('load ') ? 'load' : name.startsWith('stage ') ? 'stage' : 'rest';

/** Seconds between two lines of the axis: at most ten of them. */
function stepOf(seconds: number): number {
  const rough = Math.max(seconds, 0.1) / 10;
  const tens = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((each) => each * tens).find((each) => each >= rough)!;
}

function axis(seconds: number, height: number): Markup[] {
  const step = stepOf(seconds);
  const at = (s: number): number => LEFT + (s / seconds) * WIDTH;
  return [...Array(Math.floor(seconds / step) + 1).keys()].map((i) => {
    const s = Number((i * step).toPrecision(6));
    return html`<line x1="${at(s)}" x2="${at(s)}" y1="18" y2="${height}"/><text x="${at(s)}" y="12" text-anchor="middle">${s} s</text>`;
  });
}

const bar = (
  name: string,
  from: number,
  to: number,
  seconds: number,
  y: number,
  high: number,
  says: string,
): Markup =>
  html`<rect class="${kindOf(name)}" x="${(LEFT + (from / seconds) * WIDTH).toFixed(1)}" y="${y}" width="${Math.max(1.5, ((to - from) / seconds) * WIDTH).toFixed(1)}" height="${high}" rx="2"><title>${says}</title></rect>`;

const frame = (label: string, height: number, body: Markup): Markup =>
  html`<div class="wide timeline" tabindex="0" role="group" aria-label="${label}"><svg class="own" role="img" aria-label="${label}" width="${LEFT + WIDTH + 20}" height="${height}" viewBox="0 0 ${LEFT + WIDTH + 20} ${height}">${body}</svg></div>`;

/** Why a stage ran, as the planner said it. */
const whyOf = (stages: readonly StageReport[], name: string): string => {
  const stage = stages.find((each) => `stage ${each.stage}` === name);
  const reasons = Object.entries(stage?.reasons ?? {}).map(([reason, n]) => `${reason} ${n}`);
  return reasons.length > 0 ? `; why: ${reasons.join(', ')}` : '';
};

/** When the pieces of a run were under way, in the order in which they began; `seconds`: how long it took. */
function pieceChart(pieces: readonly Piece[], stages: readonly StageReport[], seconds: number): Markup {
  const drawn = pieces
    .filter(({ isPhase }) => !isPhase)
    .sort((a, b) => (b.to_s ?? seconds) - b.from_s - ((a.to_s ?? seconds) - a.from_s))
    .slice(0, DRAWN)
    .sort((a, b) => a.from_s - b.from_s || (a.name < b.name ? -1 : 1));
  const height = 26 + drawn.length * ROW;
  const rows = drawn.map((piece, i) => {
    const to = piece.to_s ?? seconds;
    const rows = piece.rows > 0 ? `, ${piece.rows.toLocaleString('en-AU')} rows` : '';
    const says = `${piece.name}: ${piece.from_s.toFixed(1)} to ${to.toFixed(1)} s, ${piece.done} of ${piece.total}${rows}${piece.to_s === null ? ', not ended' : ''}${whyOf(stages, piece.name)}`;
    return html`<text x="${LEFT - 8}" y="${34 + i * ROW}" text-anchor="end">${piece.name.replace(/^stage /, '')}</text>${bar(piece.name, piece.from_s, to, seconds, 24 + i * ROW, ROW - 5, says)}`;
  });
  const label = `When the ${drawn.length} longest pieces of the run were under way`;
  return frame(label, height, html`<g class="axis">${axis(seconds, height)}</g>${rows}`);
}

/** What each thread of the machine had in hand. */
function threadChart(threads: RunTimeline['threads'], seconds: number): Markup {
  const numbers = [...new Set(threads.map(({ thread }) => thread))].sort((a, b) => a - b);
  const height = 26 + numbers.length * LANE;
  const lanes = numbers.map((thread, i) => {
    const of = threads.filter((each) => each.thread === thread);
    const busy = of.reduce((sum, { from_s, to_s }) => sum + to_s - from_s, 0);
    const bars = of.map(({ name, from_s, to_s }) =>
      bar(
        name,
        from_s,
        to_s,
        seconds,
        24 + i * LANE,
        LANE - 6,
        `${name}: ${from_s.toFixed(1)} to ${to_s.toFixed(1)} s`,
      ),
    );
    return html`<text x="${LEFT - 8}" y="${37 + i * LANE}" text-anchor="end">thread ${thread}, busy ${((100 * busy) / seconds).toFixed(0)} %</text>${bars}`;
  });
  return frame(
    `What ${numbers.length} threads had in hand`,
    height,
    html`<g class="axis">${axis(seconds, height)}</g>${lanes}`,
  );
}

const LOOK = `.timeline svg{max-width:none;display:block}.timeline text{font-size:11px;fill:var(--ink)}.timeline .axis text{fill:var(--soft)}.timeline .axis line{stroke:var(--line)}
.timeline .load{fill:#2f7d5b}.timeline .stage{fill:#3b78c2}.timeline .rest{fill:#b57a1f}.key span{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin:0 .3rem 0 1rem;vertical-align:-1px}`;

/** When a run did what, and in which thread; a key says the colours. */
export function timelineCharts(
  { pieces, threads }: RunTimeline,
  stages: readonly StageReport[],
  seconds: number,
): Markup {
  const ends = [...pieces.map(({ to_s }) => to_s ?? 0), ...threads.map(({ to_s }) => to_s), seconds];
  const whole = Math.max(0.1, ...ends);
  return html`<style>${LOOK}</style><p class="key note">Point at a bar for its times, rows and reason.<span style="background:#2f7d5b"></span>loads<span style="background:#3b78c2"></span>stages<span style="background:#b57a1f"></span>publication</p>
${pieceChart(pieces, stages, whole)}${threads.length > 0 ? html`<h3>Threads of this machine</h3>${threadChart(threads, whole)}` : ''}`;
}
