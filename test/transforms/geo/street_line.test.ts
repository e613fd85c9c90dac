import { describe, expect, it } from 'vitest';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../../transforms/geo/plane.ts';
import { streetLines } from '../../../transforms/geo/street_line.ts';

const [LON, LAT] = [145, -37.8];
const [KX, KY] = [metresPerDegreeLon(LAT), metresPerDegreeLat(LAT)];
const at = (x: number, y: number): [number, number] => [LON + x / KX, LAT + y / KY];
const metres = ([lon, lat]: readonly [number, number]): [number, number] => [
  (lon - LON) * KX,
  (lat - LAT) * KY,
];

describe('the line of a street label', () => {
  it('runs between the addresses of its two sides', () => {
    const houses = Array.from({ length: 40 }, (_, i) => at(i * 10, i % 2 === 0 ? 15 : -15));
    const [line, ...others] = streetLines(houses);
    expect(others).toEqual([]);
    const course = line!.map(metres);
    expect(course[0]![0]).toBeCloseTo(0, 0);
    expect(course.at(-1)![0]).toBeCloseTo(390, 0);
    for (const [, y] of course) expect(Math.abs(y)).toBeLessThan(1.5);
  });

  it('follows a bend', () => {
    // A quarter of a circle of 300 m.
    const houses = Array.from({ length: 60 }, (_, i) => {
      const [angle, radius] = [(i / 59) * (Math.PI / 2), i % 2 === 0 ? 285 : 315];
      return at(radius * Math.cos(angle), radius * Math.sin(angle));
    });
    const lines = streetLines(houses);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines)
      for (const [x, y] of line.map(metres)) expect(Math.abs(Math.hypot(x, y) - 300)).toBeLessThan(25);
  });

  it('is split if a street turns back on itself, and absent for few or close addresses', () => {
    const loop = Array.from({ length: 80 }, (_, i) => {
      const angle = (i / 80) * 2 * Math.PI;
      return at(200 * Math.cos(angle), 200 * Math.sin(angle));
    });
    const lines = streetLines(loop);
    expect(lines.length).toBeGreaterThan(1);
    // None of them runs through the middle.
    for (const line of lines)
      for (const [x, y] of line.map(metres)) expect(Math.hypot(x, y)).toBeGreaterThan(130);
    expect(streetLines([at(0, 0), at(500, 0)])).toEqual([]);
    expect(streetLines([at(0, 0), at(10, 5), at(30, 0), at(35, 4)])).toEqual([]);
  });

  it('is the same whatever the order of the addresses', () => {
    const houses = Array.from({ length: 20 }, (_, i) => at(i * 12, i % 2 === 0 ? 14 : -16));
    const round = (lines: ReturnType<typeof streetLines>) =>
      lines.map((line) => line.map((point) => metres(point).map((each) => each.toFixed(3))));
    expect(round(streetLines([...houses].reverse()))).toEqual(round(streetLines(houses)));
  });
});
