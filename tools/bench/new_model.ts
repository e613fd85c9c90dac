import type pg from 'pg';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { columnsOf } from '../../store/journal/differences.ts';

/** Dollar columns of a new model, by table; each goes up by a thousand. */
const SHIFTED: Readonly<Record<string, readonly string[]>> = {
  property_avm: ['predicted_price', 'predicted_price_low', 'predicted_price_high'],
  property_comparable: ['adjusted_prices'],
  property_finder: ['price'],
};

/** Settings of gates that a publication of a new model passes. */
export const NEW_MODEL_GATES: readonly string[] = [
  'rows_change',
  'null_share_rise',
  'median_shift',
  'coverage_drop',
].map((gate) => `gates.${gate}_max=100`);

/** Stages other values of every row. */
export async function stageModel(client: pg.ClientBase): Promise<void> {
  for (const [name, shifted] of Object.entries(SHIFTED)) {
    const table: Table = SERVING_TABLES.find((each) => each.name === name)!;
    const values = Object.keys(table.columns).map((column) =>
      !shifted.includes(column)
        ? column
        : table.columns[column]!.type === 'int4[]'
          ? `ARRAY(SELECT n + 1000 FROM unnest(${column}) n)`
          : `${column} + 1000`,
    );
    const stage = `serve_${name}`;
    await client.query(`TRUNCATE staged.${name}`);
    await client.query(
      `INSERT INTO staged.${name} (${columnsOf(table)}) SELECT ${values.join(', ')} FROM serving.${name}`,
    );
    await client.query('DELETE FROM control.staged_key WHERE stage = $1', [stage]);
    await client.query(
      `INSERT INTO control.staged_key SELECT DISTINCT $1, cell, gnaf_pid FROM serving.${name}`,
      [stage],
    );
    await client.query(
      'UPDATE control.partition SET output_digest = output_digest + 1, staged = true WHERE stage = $1',
      [stage],
    );
  }
}
