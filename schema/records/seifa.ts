import { nullable, table } from '../table.ts';
import { censusRegion } from './census.ts';

/** The four indexes; in all of them a higher score means less disadvantage. */
export const SEIFA_INDEXES = ['irsd', 'irsad', 'ier', 'ieo'] as const;
export type SeifaIndex = (typeof SEIFA_INDEXES)[number];

const excluded = 'null: the region has no score';
const inState = 'null: no score, or the region lies in no single state';

const indexColumns = <const P extends SeifaIndex>(prefix: P, name: string) =>
  ({
    [`${prefix}_score`]: nullable('float8', `${name}, score (national mean 1000); ${excluded}.`),
    [`${prefix}_rank`]: nullable(
      'int4',
      `${prefix.toUpperCase()}: rank in Australia, 1 is the lowest; ${excluded}.`,
    ),
    [`${prefix}_decile`]: nullable(
      'int2',
      `${prefix.toUpperCase()}: decile in Australia, 1 to 10; ${excluded}.`,
    ),
    [`${prefix}_percentile`]: nullable(
      'int2',
      `${prefix.toUpperCase()}: percentile in Australia, 1 to 100; ${excluded}.`,
    ),
    [`${prefix}_state_rank`]: nullable('int4', `${prefix.toUpperCase()}: rank in the state; ${inState}.`),
    [`${prefix}_state_decile`]: nullable('int2', `${prefix.toUpperCase()}: decile in the state; ${inState}.`),
    [`${prefix}_state_percentile`]: nullable(
      'int2',
      `${prefix.toUpperCase()}: percentile in the state; ${inState}.`,
    ),
  }) as {
    readonly [K in `${P}_score`]: ReturnType<typeof nullable<'float8'>>;
  } & { readonly [K in `${P}_${'rank' | 'state_rank'}`]: ReturnType<typeof nullable<'int4'>> } & {
    readonly [K in `${P}_${'decile' | 'percentile' | 'state_decile' | 'state_percentile'}`]: ReturnType<
      typeof nullable<'int2'>
    >;
  };

/** Source: ABS Socio-Economic Indexes for Areas, index workbooks by level. */
export const seifaRecord = table({
  schema: 'record',
  name: 'seifa',
  doc: 'Socio-economic indexes of one region. A region that the ABS excludes has nulls.',
  columns: {
    ...censusRegion,
    population: nullable('int4', 'Usual resident population; null: not stated.'),
    ...indexColumns('irsd', 'Index of Relative Socio-economic Disadvantage'),
    ...indexColumns('irsad', 'Index of Relative Socio-economic Advantage and Disadvantage'),
    ...indexColumns('ier', 'Index of Economic Resources'),
    ...indexColumns('ieo', 'Index of Education and Occupation'),
  },
  primaryKey: ['year', 'level', 'code'],
});
