import { col, table } from '../table.ts';

/** Property of each alias address. */
export const propertyAliasTable = table({
  schema: 'serving',
  name: 'property_alias',
  doc: 'A live alias address and its principal, the property under which it is served.',
  columns: {
    alias_pid: col('text', 'G-NAF ADDRESS_DETAIL_PID of the alias.'),
    cell: col('int4', 'Grid cell of the point of the alias; -1 without coordinates.'),
    principal_pid: col('text', 'G-NAF ADDRESS_DETAIL_PID of its principal.'),
  },
  primaryKey: ['alias_pid'],
  indexes: [{ columns: ['cell'] }],
});
