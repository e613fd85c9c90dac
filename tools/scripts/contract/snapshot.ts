import { CONTRACT_VERSION } from '../../../contract/service/version.ts';
import { SERVING_TABLES, SERVING_VIEWS } from '../../../schema/serving/index.ts';
import { documentedEndpoints } from './endpoints.ts';
import { type Field, fieldsOf } from './fields.ts';

/** What a reader may rely on of one value: everything but its texts and defaults. */
type Relied = Omit<Field, 'path' | 'doc' | 'fallback'>;

/** One endpoint: `beside` is of what stands beside its data, where anything does. */
interface EndpointSnapshot {
  params: Record<string, Relied>;
  payload: Record<string, Relied>;
  beside?: Record<string, Relied>;
}

/** The contract as it is committed: tables and endpoints by name, without their texts. */
export interface ContractSnapshot {
  version: string;
  tables: Record<string, { key: string[]; columns: Record<string, string> }>;
  endpoints: Record<string, EndpointSnapshot>;
}

const relied = (fields: readonly Field[]): Record<string, Relied> =>
  Object.fromEntries(fields.map(({ path, doc: _doc, fallback: _fallback, ...rest }) => [path, rest]));

/** The contract of the declarations. */
export function snapshotOfCode(): ContractSnapshot {
  const tables = [...SERVING_TABLES, ...SERVING_VIEWS].map(({ name, primaryKey, columns }) => [
    name,
    {
      key: [...primaryKey],
      columns: Object.fromEntries(
        Object.entries(columns).map(([column, { type, nullable }]) => [
          column,
          nullable ? `${type} null` : type,
        ]),
      ),
    },
  ]);
  const endpoints = documentedEndpoints().map(({ methods, path, params, payload, beside }) => [
    `${methods.join(',')} ${path}`,
    {
      params: relied(fieldsOf(params)),
      payload: relied(fieldsOf(payload)),
      ...(beside === null ? {} : { beside: relied(fieldsOf(beside)) }),
    },
  ]);
  return {
    version: CONTRACT_VERSION,
    tables: Object.fromEntries(tables),
    endpoints: Object.fromEntries(endpoints),
  };
}

/** Text of docs/contract.json. */
export const snapshotText = (snapshot: ContractSnapshot): string => `${JSON.stringify(snapshot, null, 1)}\n`;
