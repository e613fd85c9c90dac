import type { StageReport } from '../../pipelines/report/report.ts';
import type { RunTimeline, ThreadSpan, TimelineSpan } from '../../pipelines/report/timeline.ts';
import { groupBy } from '../../schema/group_by.ts';
import { html, type Markup } from '../html.ts';

/** Pieces shown at first: the longest. */
const OPEN = 30;
const [LEFT, WIDTH, ROW, LANE] = [220, 880, 18, 22];

const kindOf = (name: string): string =>
  name.startsWith('load ') ? 'load' : name.startsWith('stage ') ? 'stage' : 'rest';

/** Seconds between lines of the axis, for at most ten lines. */
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

/** A piece of a run in a chart: its begin and end in seconds, its place in pixels, and the text of its tooltip. */
interface Bar {
  name: string;
  from_s: number;
  to_s: number;
  y: number;
  height: number;
  tooltip: string;
}

const bar = ({ name, from_s, to_s, y, height, tooltip }: Bar, seconds: number): Markup =>
  html`<rect class="${kindOf(name)}" x="${(LEFT + (from_s / seconds) * WIDTH).toFixed(1)}" y="${y}" width="${Math.max(1.5, ((to_s - from_s) / seconds) * WIDTH).toFixed(1)}" height="${height}" rx="2"><title>${tooltip}</title></rect>`;

const frame = (label: string, height: number, body: Markup): Markup =>
  html`<div class="wide timeline" tabindex="0" role="group" aria-label="${label}"><svg class="own" role="img" aria-label="${label}" width="${LEFT + WIDTH + 20}" height="${height}" viewBox="0 0 ${LEFT + WIDTH + 20} ${height}">${body}</svg></div>`;

/** Reason of the planner to run a stage. */
const whyOf = (stages: readonly StageReport[], name: string): string => {
  const stage = stages.find((each) => `stage ${each.stage}` === name);
  const reasons = Object.entries(stage?.reasons ?? {}).map(([reason, n]) => `${reason} ${n}`);
  return reasons.length > 0 ? `; why: ${reasons.join(', ')}` : '';
};

/** Draws when pieces of a run were in progress, in the order of their start. `seconds`: duration of the run. */
function pieceChart(
  pieces: readonly TimelineSpan[],
  label: string,
  stages: readonly StageReport[],
  seconds: number,
): Markup {
  const drawn = [...pieces].sort((a, b) => a.from_s - b.from_s || (a.name < b.name ? -1 : 1));
  const height = 26 + drawn.length * ROW;
  const rows = drawn.map((piece, i) => {
    const to_s = piece.to_s ?? seconds;
    const rows = piece.rows > 0 ? `, ${piece.rows.toLocaleString('en-AU')} rows` : '';
    const tooltip = `${piece.name}: ${piece.from_s.toFixed(1)} to ${to_s.toFixed(1)} s, ${piece.done} of ${piece.total}${rows}${piece.to_s === null ? ', not ended' : ''}${whyOf(stages, piece.name)}`;
    return html`<text x="${LEFT - 8}" y="${34 + i * ROW}" text-anchor="end">${piece.name.replace(/^stage /, '')}</text>${bar({ name: piece.name, from_s: piece.from_s, to_s, y: 24 + i * ROW, height: ROW - 5, tooltip }, seconds)}`;
  });
  return frame(label, height, html`<g class="axis">${axis(seconds, height)}</g>${rows}`);
}

/** Draws the longest pieces, and folds the others. */
function pieceCharts(all: readonly TimelineSpan[], stages: readonly StageReport[], seconds: number): Markup {
  const lasted = ({ from_s, to_s }: TimelineSpan): number => (to_s ?? seconds) - from_s;
  const pieces = all.filter(({ isPhase }) => !isPhase).sort((a, b) => lasted(b) - lasted(a));
  const [longest, shorter] = [pieces.slice(0, OPEN), pieces.slice(OPEN)];
  const label = `When the ${longest.length} longest pieces of the run were under way`;
  return html`${pieceChart(longest, label, stages, seconds)}${
    shorter.length > 0
      ? html`<details><summary>${shorter.length} shorter pieces</summary>${pieceChart(shorter, `When ${shorter.length} shorter pieces were under way`, stages, seconds)}</details>`
      : ''
  }`;
}

/** Maximum characters of a machine's name before a lane. */
const NAME = 16;

/** Names a lane: threads of the run by number, others with their machine too. */
const laneName = ({ machine, thread }: ThreadSpan): string => {
  if (machine === undefined) return `thread ${thread}`;
  return `${machine.length > NAME ? `…${machine.slice(1 - NAME)}` : machine} · ${thread}`;
};

/** Draws the work of each thread of a run; threads of its own process come first. */
function threadChart(threads: RunTimeline['threads'], seconds: number): Markup {
  const lanes = groupBy(threads, (span) => `${span.machine ?? ''} ${span.thread}`);
  const height = 26 + lanes.size * LANE;
  const drawn = [...lanes.values()].map((spans, i) => {
    const busy = spans.reduce((sum, { from_s, to_s }) => sum + to_s - from_s, 0);
    const where = spans[0]!.machine === undefined ? '' : ` on ${spans[0]!.machine}`;
    const bars = spans.map(({ name, from_s, to_s }) => {
      const tooltip = `${name}${where}: ${from_s.toFixed(1)} to ${to_s.toFixed(1)} s`;
      return bar({ name, from_s, to_s, y: 24 + i * LANE, height: LANE - 6, tooltip }, seconds);
    });
    return html`<text x="${LEFT - 8}" y="${37 + i * LANE}" text-anchor="end">${laneName(spans[0]!)}, busy ${((100 * busy) / seconds).toFixed(0)} %</text>${bars}`;
  });
  const machines = new Set(threads.map(({ machine }) => machine)).size;
  const label = `What ${lanes.size} threads${machines > 1 ? ` of ${machines} processes` : ''} had in hand`;
  return frame(label, height, html`<g class="axis">${axis(seconds, height)}</g>${drawn}`);
}

const LOOK = `.timeline svg{max-width:none;display:block}.timeline text{font-size:11px;fill:var(--ink)}.timeline .axis text{fill:var(--soft)}.timeline .axis line{stroke:var(--line)}
.timeline .load{fill:#2f7d5b}.timeline .stage{fill:#3b78c2}.timeline .rest{fill:#b57a1f}.key span{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin:0 .3rem 0 1rem;vertical-align:-1px}`;

const threadNote = (threads: RunTimeline['threads']): Markup =>
  threads.some(({ machine }) => machine !== undefined)
    ? html`<p class="note">Workers are named by machine, process and thread. What they did ends where the run heard of it.</p>`
    : html``;

/** Draws what a run did when, and in which thread, with a legend. */
export function timelineCharts(
  { pieces, threads }: RunTimeline,
  stages: readonly StageReport[],
  seconds: number,
): Markup {
  const ends = [...pieces.map(({ to_s }) => to_s ?? 0), ...threads.map(({ to_s }) => to_s), seconds];
  const totalSeconds = Math.max(0.1, ...ends);
  return html`<style>${LOOK}</style><p class="key note">Point at a bar for its times, rows and reason.<span style="background:#2f7d5b"></span>loads<span style="background:#3b78c2"></span>stages<span style="background:#b57a1f"></span>publication</p>
${pieceCharts(pieces, stages, totalSeconds)}${threads.length > 0 ? html`<h3>Threads</h3>${threadNote(threads)}${threadChart(threads, totalSeconds)}` : ''}`;
}
