import { describe, expect, it } from 'vitest';
import { eventBucket } from '../../schema/event_bucket.ts';
import { cellOf } from '../../schema/grid.ts';
import { modelPartition } from '../../schema/model_partition.ts';
import { partitionName, partitionSql, WHOLE } from '../../schema/partition.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { statePartition } from '../../schema/state_partition.ts';
import { partitionColumn } from '../../schema/table.ts';

describe('a partition', () => {
  it('is a grid cell only where a table has places', () => {
    for (const table of [...RECORD_TABLES, ...SERVING_TABLES])
      expect([table.name, 'cell' in table.columns]).toEqual([table.name, table.partition === 'cell']);
  });

  it('has the column that its table is partitioned by', () => {
    for (const table of [...RECORD_TABLES, ...SERVING_TABLES]) {
      const column = partitionColumn(table);
      if (column === null) expect(partitionSql(table)).toBe(`(${WHOLE})`);
      else expect(Object.keys(table.columns)).toContain(column);
    }
  });

  it('is named in words', () => {
    const cell = cellOf(144.9, -37.8);
    expect(partitionName('cell', cell)).toBe(`cell ${cell}`);
    expect(partitionName('month', eventBucket('VIC', '2024-03-31'))).toBe('month VIC 2024-03');
    expect(partitionName('month', eventBucket(null, '1970-01-01'))).toBe('month of no state 1970-01');
    expect(partitionName('state', statePartition('TAS'))).toBe('state TAS');
    expect(partitionName('state', statePartition(null))).toBe('state all');
    expect(partitionName('model', modelPartition('rent', 'QLD'))).toBe('model QLD rent');
    expect(partitionName('model', modelPartition('sale', ''))).toBe('model all states sale');
    expect(partitionName('whole', WHOLE)).toBe('the whole');
  });
});
