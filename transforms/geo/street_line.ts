import { metresPerDegreeLat, metresPerDegreeLon } from './plane.ts';

/** Distance between vertices of a street line, metres. */
const STEP_M = 60;
/** Maximum width of a street across its course, metres and as a share of its length; a wider one turns back on itself and is halved. */
const WIDE_M = 110;
const WIDE_SHARE = 0.5;
/** Minimum length of a line, metres, and minimum addresses: a shorter one has no room for a name. */
const SHORT_M = 40;
const FEWEST = 3;
/** Maximum times that a street is halved. */
const HALVINGS = 3;

type LonLatPair = readonly [lon: number, lat: number];

interface ProjectedPoint {
  point: LonLatPair;
  along: number;
  across: number;
}

/** Projects points onto their principal axis and its normal, metres, from west to east. */
function alongAxis(points: readonly LonLatPair[]): {
  placed: ProjectedPoint[];
  back: (t: number, s: number) => LonLatPair;
} {
  const lon0 = points.reduce((sum, [lon]) => sum + lon, 0) / points.length;
  const lat0 = points.reduce((sum, [, lat]) => sum + lat, 0) / points.length;
  const [kx, ky] = [metresPerDegreeLon(lat0), metresPerDegreeLat(lat0)];
  let [xx, xy, yy] = [0, 0, 0];
  for (const [lon, lat] of points) {
    const [x, y] = [(lon - lon0) * kx, (lat - lat0) * ky];
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const angle = Math.atan2(2 * xy, xx - yy) / 2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const projected = points.map((point): ProjectedPoint => {
    const [x, y] = [(point[0] - lon0) * kx, (point[1] - lat0) * ky];
    return { point, along: x * cos + y * sin, across: y * cos - x * sin };
  });
  return {
    placed: projected.sort((a, b) => a.along - b.along || a.across - b.across),
    back: (t, s) => [lon0 + (t * cos - s * sin) / kx, lat0 + (t * sin + s * cos) / ky],
  };
}

/**
 * Returns the course of a street between the addresses of its two sides, for its name: the middle across, every 60 m. GDA2020
 * degrees in and out. A street that turns back on itself gives several lines. Few addresses or less than 40 m: none.
 */
export function streetLines(points: readonly LonLatPair[], halvings = HALVINGS): LonLatPair[][] {
  if (points.length < FEWEST) return [];
  const { placed, back } = alongAxis(points);
  const [from, to] = [placed[0]!.along, placed.at(-1)!.along];
  if (to - from < SHORT_M) return [];
  const steps = Math.max(1, Math.round((to - from) / STEP_M));
  const sides = Array.from({ length: steps }, () => ({ low: Infinity, high: -Infinity }));
  for (const { along, across } of placed) {
    const side = sides[Math.min(steps - 1, Math.floor(((along - from) / (to - from)) * steps))]!;
    side.low = Math.min(side.low, across);
    side.high = Math.max(side.high, across);
  }
  const wide = Math.min(WIDE_M, (to - from) * WIDE_SHARE);
  if (sides.some(({ low, high }) => high - low > wide)) {
    if (halvings === 0) return [];
    const middle = (from + to) / 2;
    const sideOf = (isFirst: boolean): LonLatPair[] =>
      placed.filter(({ along }) => along < middle === isFirst).map(({ point }) => point);
    return [true, false].flatMap((isFirst) => streetLines(sideOf(isFirst), halvings - 1));
  }
  const ranges = sides.flatMap(({ low, high }, i) =>
    low > high ? [] : [{ t: from + ((i + 0.5) / steps) * (to - from), s: (low + high) / 2 }],
  );
  const smooth = ranges.map(({ t, s }, i) => {
    const [before, after] = [ranges[i - 1]?.s ?? s, ranges[i + 1]?.s ?? s];
    return { t, s: (before + 2 * s + after) / 4 };
  });
  // Extends the line by half a step at either end.
  const beyond = (last: number, before: number): number =>
    (3 * smooth[last]!.s - (smooth[before] ?? smooth[last]!).s) / 2;
  const ends = [
    { t: from, s: beyond(0, 1) },
    ...smooth,
    { t: to, s: beyond(smooth.length - 1, smooth.length - 2) },
  ];
  return [ends.map(({ t, s }) => back(t, s))];
}
