import { around, type LineageGraph, type LineageNode } from '../../pipelines/views/lineage_graph.ts';
import { html, type Markup } from '../html.ts';

/** Maximum steps to each side, and boxes in a column; the lists below the picture show the rest. */
const STEPS = 2;
const TALLEST = 22;
const [WIDE, HIGH, GAP_X, GAP_Y] = [198, 38, 30, 10];

/** A node with its position in the picture, pixels. */
interface NodeBox {
  node: LineageNode;
  column: number;
  x: number;
  y: number;
}

const short = (text: string): string => (text.length > 28 ? `${text.slice(0, 27)}…` : text);
export const lineageHref = (id: string): string => `/lineage?of=${encodeURIComponent(id)}`;

/** Arranges nodes in columns, from inputs to users. */
function columnsOf(
  nodes: LineageGraph,
  id: string,
): { column: number; members: LineageNode[]; hidden: number }[] {
  const distanceById = around(nodes, id, STEPS);
  const distances = [...new Set(distanceById.values())].sort((a, b) => a - b);
  return distances.map((distance) => {
    const all = [...distanceById].filter(([, at]) => at === distance).map(([each]) => nodes.get(each)!);
    return { column: distance, members: all.slice(0, TALLEST), hidden: Math.max(0, all.length - TALLEST) };
  });
}

function boxesOf(
  nodes: LineageGraph,
  id: string,
): { boxes: NodeBox[]; hiddenCounts: Markup[]; width: number; height: number } {
  const columns = columnsOf(nodes, id);
  const tallest = Math.max(...columns.map(({ members, hidden }) => members.length + (hidden > 0 ? 1 : 0)));
  const height = tallest * (HIGH + GAP_Y) + GAP_Y;
  const top = (count: number): number => (height - count * (HIGH + GAP_Y) + GAP_Y) / 2;
  const columnX = (i: number): number => 4 + i * (WIDE + GAP_X);
  const boxes = columns.flatMap(({ column, members, hidden }, i) =>
    members.map((node, j) => ({
      node,
      column,
      x: columnX(i),
      y: top(members.length + (hidden > 0 ? 1 : 0)) + j * (HIGH + GAP_Y),
    })),
  );
  const hiddenCounts = columns.flatMap(({ members, hidden }, i) =>
    hidden === 0
      ? []
      : [
          html`<text x="${columnX(i) + 10}" y="${top(members.length + 1) + members.length * (HIGH + GAP_Y) + 23}">… and ${hidden} more</text>`,
        ],
  );
  return { boxes, hiddenCounts, width: columnX(columns.length) - GAP_X + 8, height };
}

const curve = (from: NodeBox, to: NodeBox): Markup => {
  const [x1, y1, x2, y2] = [from.x + WIDE, from.y + HIGH / 2, to.x, to.y + HIGH / 2];
  const bend = (x2 - x1) / 2;
  return html`<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}"/>`;
};

const boxMarkup = ({ node, column, x, y }: NodeBox): Markup =>
  html`<a href="${lineageHref(node.id)}" class="${node.kind}${column === 0 ? ' here' : ''}"${column === 0 ? html` aria-current="true"` : ''}><rect x="${x}" y="${y}" width="${WIDE}" height="${HIGH}" rx="${node.kind === 'dataset' ? 19 : 5}"/><text x="${x + 12}" y="${y + 16}" class="name">${short(node.name)}</text><text x="${x + 12}" y="${y + 31}" class="detail">${short(node.detail)}</text></a>`;

/** Draws the inputs of a node on its left and its users on its right. Each box links to its own picture. */
export function lineagePicture(nodes: LineageGraph, id: string): Markup {
  const { boxes, hiddenCounts, width, height } = boxesOf(nodes, id);
  const by = new Map(boxes.map((box) => [box.node.id, box]));
  const edges = boxes.flatMap((to) =>
    to.node.reads.flatMap((each) => {
      const from = by.get(each);
      return from && from.column < to.column ? [curve(from, to)] : [];
    }),
  );
  return html`<div class="wide lineage" tabindex="0" role="group" aria-label="What ${nodes.get(id)!.name} is made of, and what is made of it"><svg class="own" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><g class="edges" aria-hidden="true">${edges}</g>${boxes.map(boxMarkup)}${hiddenCounts}</svg></div>`;
}

/** Styles of the picture, for light and dark mode. */
export const LINEAGE_STYLE = `.lineage svg{max-width:none;display:block}.lineage .edges path{fill:none;stroke:var(--soft);stroke-opacity:.45}
.lineage rect{fill:var(--paper);stroke:var(--line);stroke-width:1.5}.lineage .dataset rect{fill:var(--bar)}.lineage .record rect{stroke-dasharray:4 3;stroke:var(--soft)}
.lineage .here rect{stroke:var(--link);stroke-width:2.5}.lineage a:hover rect,.lineage a:focus-visible rect{stroke:var(--link)}.lineage a{text-decoration:none}
.lineage text{font-size:12px;fill:var(--ink)}.lineage .detail{font-size:11px;fill:var(--soft)}`;
