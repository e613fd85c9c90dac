import pg from 'pg';
import { expect, it } from 'vitest';
import { meetsPlaces } from '../../../store/increments/near_places.ts';
import { createDatabase } from '../../database.ts';
import { seeded } from '../../pipelines/child_run.ts';

/** Boxes whose sides lie on and beside the edges of tiles, and some that are far larger than one. */
const boxesOf = (next: () => number, n: number): number[][] =>
  Array.from({ length: n }, () => {
    const [west, south] = [next, next].map(
      (draw) => Math.round(draw() * 60) / 2000 + (draw() < 0.3 ? 1e-12 : 0),
    );
    const [wide, high] = [next, next].map((draw) => (draw() < 0.1 ? 0.004 : Math.round(draw() * 4) / 4000));
    return [144 + west!, -38 + south!, 144 + west! + wide!, -38 + south! + high!];
  });

it.each([
  { places: 40, widened: [0, 0] as const },
  { places: 40, widened: [0.0011, 0.0009] as const },
  // Too many tiles to list them.
  { places: 4000, widened: [0.5, 0.5] as const },
])(
  'finds the rows whose boxes meet one of $places places, widened by $widened',
  async ({ places, widened }) => {
    const database = await createDatabase();
    const client = new pg.Client({ connectionString: database.url });
    try {
      await client.connect();
      const next = seeded(7);
      await client.query(
        'CREATE TEMP TABLE place_here (place box); CREATE TEMP TABLE here (w float8, s float8, e float8, n float8)',
      );
      const insert = async (table: string, row: string, boxes: number[][]): Promise<void> => {
        await client.query(
          `INSERT INTO ${table} SELECT ${row} FROM unnest($1::float8[], $2::float8[], $3::float8[], $4::float8[]) b (w, s, e, n)`,
          [0, 1, 2, 3].map((side) => boxes.map((box) => box[side])),
        );
      };
      await insert('place_here', 'box(point(w, s), point(e, n))', boxesOf(next, places));
      await insert('here', 'w, s, e, n', boxesOf(next, 3000));
      await client.query('CREATE INDEX ON place_here USING gist (place); ANALYZE place_here; ANALYZE here');
      const near = await meetsPlaces(client, 'place_here', ['w', 's', 'e', 'n'], widened);
      const found = await client.query(`SELECT * FROM here WHERE ${near} ORDER BY 1, 2, 3, 4`);
      const compared = await client.query(
        `SELECT * FROM here WHERE EXISTS (SELECT FROM place_here p
         WHERE p.place && box(point(w - $1, s - $2), point(e + $1, n + $2)))
       ORDER BY 1, 2, 3, 4`,
        [...widened],
      );
      expect(compared.rowCount).toBeGreaterThan(300);
      expect(found.rows).toEqual(compared.rows);
    } finally {
      await client.end();
      await database.drop();
    }
  },
);
