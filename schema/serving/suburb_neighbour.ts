import { NO_CELL } from '../grid.ts';
import { col, table } from '../table.ts';

/** Answers the neighbours of a suburb, and the finder's neighbouring suburbs. */
export const suburbNeighbourTable = table({
  schema: 'serving',
  name: 'suburb_neighbour',
  doc: 'Two suburbs that share a boundary; each pair stands both ways.',
  columns: {
    sal: col('text', 'Canonical ABS SAL name.'),
    neighbour_sal: col('text', 'SAL name of a suburb that it shares a boundary with.'),
    cell: col('int4', `Always ${NO_CELL}.`),
    shared_m: col(
      'float8',
      'Length of the shared boundary, whole metres; an estimate at the edges of grid cells.',
    ),
  },
  primaryKey: ['sal', 'neighbour_sal'],
});
