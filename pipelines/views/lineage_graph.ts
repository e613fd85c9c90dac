import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { recordedName, type Table } from '../../schema/table.ts';
import { tablesRead } from '../engine/reads.ts';
import { graph } from '../graph.ts';

/** A dataset, a record table, or a stage with its table. */
export interface LineageNode {
  /** `dataset:gnaf`, `record:address` or `stage:serve_property`. */
  id: string;
  kind: 'dataset' | 'record' | 'stage';
  name: string;
  /** Adapter of a dataset; output table of a stage. */
  detail: string;
  doc: string;
  /** Loaded or computed rows; null: unknown. */
  rows: number | null;
  /** Ids of its inputs, and of nodes that read it, in graph order. */
  reads: string[];
  readBy: string[];
}

export type LineageGraph = ReadonlyMap<string, LineageNode>;

/** Records of a dataset in a table, by the accounts of its active loads. */
interface LoadedTable {
  dataset: string;
  adapter: string;
  table: string;
  records: number;
}

const LOADED = `SELECT l.dataset, min(l.adapter) AS adapter, a->>'table' AS table, sum((a->>'records')::float8) AS records
  FROM control.load l, jsonb_array_elements(l.accounts) a
  WHERE l.state = 'active' AND a->>'table' IS NOT NULL AND (a->>'records')::float8 > 0
  GROUP BY l.dataset, a->>'table' ORDER BY l.dataset, a->>'table'`;

const COMPUTED =
  'SELECT stage, sum(rows)::float8 AS rows FROM control.partition GROUP BY stage ORDER BY stage';

/** Joins nodes by edges. Inputs of stages are those that the engine uses (`tablesRead`). */
function join(
  config: Config,
  loaded: readonly LoadedTable[],
  computed: ReadonlyMap<string, number>,
): LineageGraph {
  const nodes = new Map<string, LineageNode>();
  const node = (id: string, facts: Omit<LineageNode, 'id' | 'reads' | 'readBy'>): LineageNode => {
    const existing = nodes.get(id) ?? { id, ...facts, reads: [], readBy: [] };
    nodes.set(id, existing);
    return existing;
  };
  const edge = (from: LineageNode, to: LineageNode): void => {
    if (to.reads.includes(from.id)) return;
    to.reads.push(from.id);
    from.readBy.push(to.id);
  };
  const stages = graph(config);
  const maker = new Map(stages.map((stage) => [recordedName(stage.output), stage]));
  const recordOf = (name: string, doc: string): LineageNode => {
    const of = loaded.filter(({ table }) => table === name);
    const rows = of.reduce((sum, { records }) => sum + records, 0);
    return node(`record:${name}`, { kind: 'record', name: `record.${name}`, detail: 'records', doc, rows });
  };
  const stageNode = (name: string): LineageNode => {
    const stage = stages.find((each) => each.name === name)!;
    const { output, doc } = stage;
    return node(`stage:${name}`, {
      kind: 'stage',
      name,
      detail: `${output.schema}.${output.name}`,
      doc,
      rows: computed.get(name) ?? null,
    });
  };
  const sourceOf = (table: Table): LineageNode => {
    const makerId = maker.get(recordedName(table));
    return makerId ? stageNode(makerId.name) : recordOf(table.name, table.doc);
  };
  for (const stage of stages)
    for (const table of tablesRead(stage)) edge(sourceOf(table), stageNode(stage.name));
  for (const { dataset, adapter, table } of loaded) {
    const rows = loaded
      .filter((each) => each.dataset === dataset)
      .reduce((sum, { records }) => sum + records, 0);
    const detail = `adapter ${adapter}`;
    edge(
      node(`dataset:${dataset}`, { kind: 'dataset', name: dataset, detail, doc: '', rows }),
      recordOf(table, ''),
    );
  }
  return nodes;
}

/** Builds the graph from the loaded datasets to the served tables. */
export async function lineageGraph(client: pg.ClientBase, config: Config): Promise<LineageGraph> {
  const loaded = await client.query<LoadedTable>(LOADED);
  const computed = await client.query<{ stage: string; rows: number }>(COMPUTED);
  return join(config, loaded.rows, new Map(computed.rows.map(({ stage, rows }) => [stage, rows])));
}

/** Returns the nodes around one node with their distance, negative for inputs; up to `most` steps away. */
export function around(nodes: LineageGraph, id: string, most: number): Map<string, number> {
  const distances = new Map([[id, 0]]);
  for (const [step, next] of [
    [-1, 'reads'],
    [1, 'readBy'],
  ] as const) {
    let front = [id];
    for (let distance = step; Math.abs(distance) <= most; distance += step) {
      front = front.flatMap((each) => nodes.get(each)![next]).filter((each) => !distances.has(each));
      for (const each of front) distances.set(each, distance);
    }
  }
  return distances;
}
