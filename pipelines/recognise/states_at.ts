/** A border as its vertices, west to east: longitude and latitude. */
type Border = readonly (readonly [number, number])[];

/** Border between Queensland (and the north of South Australia) and New South Wales. */
const QLD_NSW: Border = [
  [141, -29],
  [148.96, -29],
  [150.3, -28.55],
  [151.3, -28.9],
  [152, -28.95],
  [152.6, -28.33],
  [153.2, -28.25],
  [153.6, -28.16],
];
/** Border between New South Wales and Victoria: the Murray, then the straight line to Cape Howe. */
const NSW_VIC: Border = [
  [141, -34.02],
  [142, -34.13],
  [142.5, -34.75],
  [143.56, -35.33],
  [144.75, -36.12],
  [145.5, -35.83],
  [146.9, -36.09],
  [148, -36.06],
  [148.2, -36.8],
  [149.98, -37.51],
];
const BASS_STRAIT = -39.2;
/** Distance from a border within which it may be either state, degrees. */
const NEAR = 0.15;

function latitudeAt(border: Border, lon: number): number {
  const next = border.findIndex(([x]) => x >= lon);
  if (next === -1) return border.at(-1)![1];
  if (next === 0) return border[0]![1];
  const [[x0, y0], [x1, y1]] = [border[next - 1]!, border[next]!];
  return y0 + ((lon - x0) / (x1 - x0)) * (y1 - y0);
}

/** Returns the states that may contain a point: one, or both near a border. Approximate, for proposals only. */
export function statesAt(lon: number, lat: number): string[] {
  const states = new Set<string>();
  for (const dx of [-NEAR, 0, NEAR])
    for (const dy of [-NEAR, 0, NEAR]) states.add(stateOf(lon + dx, lat + dy));
  if (lon > 148.7 && lon < 149.45 && lat > -35.95 && lat < -35.1) states.add('ACT');
  return [...states].sort();
}

function stateOf(lon: number, lat: number): string {
  if (lat < BASS_STRAIT) return 'TAS';
  if (lon < 129) return 'WA';
  if (lon < 138 && lat > -26) return 'NT';
  if (lon < 141) return lat > -26 ? 'QLD' : 'SA';
  if (lat > latitudeAt(QLD_NSW, lon)) return 'QLD';
  return lat > latitudeAt(NSW_VIC, lon) ? 'NSW' : 'VIC';
}
