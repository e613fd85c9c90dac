import type pg from 'pg';
import { latestPublication } from '../../store/journal/journal.ts';
import { unpackModel } from '../../transforms/avm/artefact.ts';
import { levelsThen } from '../../transforms/avm/calibration.ts';
import type { AvmModel } from '../../transforms/avm/model.ts';
import { type RatioStudy, ratioStudy } from '../../transforms/stats/ratio_study.ts';
import { EVERY_MODEL } from '../stages/valuation/valuation_models.ts';

interface SuburbCoverage {
  sal: string;
  state: string;
  properties: number;
  /** Centre of its properties' bounding box, GDA2020 degrees. */
  lon: number;
  lat: number;
  /** Share of its properties with a value, over all fields of field_coverage, 0 to 1. */
  share: number;
}

/** Share of a state's properties with a value of a field, 0 to 1. */
interface FieldCoverage {
  field: string;
  state: string;
  share: number;
}

/** Accuracy of the models in service on sales that they were not trained on. */
export interface ModelRatios extends RatioStudy {
  kind: string;
  region: string;
  part: keyof AvmModel['ledgers'];
  /** Estimate divided by price, for each sale. */
  ratios: Float64Array;
}

/** Metrics that the report of the last publication reads from the tables. */
export interface RunDetail {
  suburbs: SuburbCoverage[];
  /** Total number of suburbs; the map shows the largest. */
  suburbs_known: number;
  fields: FieldCoverage[];
  models: ModelRatios[];
}

/** Maximum dots on the map, to keep the page small. */
const SUBURBS = 5000;

const SUBURBS_SQL = `SELECT s.sal, s.state, s.properties, (s.min_lon + s.max_lon) / 2 AS lon, (s.min_lat + s.max_lat) / 2 AS lat,
    sum(f.filled)::float8 / sum(f.properties) AS share
  FROM serving.suburb s JOIN serving.field_coverage f USING (sal)
  WHERE s.min_lon IS NOT NULL GROUP BY s.sal ORDER BY s.properties DESC, s.sal LIMIT $1`;

const FIELDS_SQL = `SELECT field, state, sum(filled)::float8 / sum(properties) AS share
  FROM serving.field_coverage GROUP BY field, state ORDER BY field, state`;

function ratiosOf(kind: string, region: string, model: AvmModel): ModelRatios[] {
  const parts = Object.keys(model.ledgers) as (keyof AvmModel['ledgers'])[];
  return parts.flatMap((part) => {
    const ledger = model.ledgers[part];
    if (ledger.day.length === 0) return [];
    const levels = levelsThen(ledger, model.params.calibration);
    const estimates = ledger.log_predicted.map((log, i) => Math.exp(log + levels[i]!));
    const prices = ledger.log_price.map(Math.exp);
    const ratios = estimates.map((estimate, i) => estimate / prices[i]!);
    return [{ kind, region, part, ratios, ...ratioStudy(estimates, prices) }];
  });
}

/**
 * Reads coverage by suburb and field, and the ratio study of the models, at the last publication. Null for any other run's report, because
 * the tables have changed since. Cost: the rows of field_coverage, and one model at a time.
 */
export async function readDetail(
  client: pg.ClientBase,
  publication: number | null,
): Promise<RunDetail | null> {
  const latest = await latestPublication(client);
  if (publication === null || latest?.publication_id !== publication) return null;
  const suburbs = await client.query<SuburbCoverage>(SUBURBS_SQL, [SUBURBS]);
  const suburbCount = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM serving.suburb');
  const fields = await client.query<FieldCoverage>(FIELDS_SQL);
  const models: ModelRatios[] = [];
  const names = await client.query<{ kind: string; region: string }>(
    `SELECT kind, region FROM ${EVERY_MODEL} ORDER BY kind DESC, region`,
  );
  for (const { kind, region } of names.rows) {
    const { rows } = await client.query<{ artefact: Buffer }>(
      `SELECT artefact FROM ${EVERY_MODEL} WHERE kind = $1 AND region = $2`,
      [kind, region],
    );
    if (rows[0]) models.push(...ratiosOf(kind, region, unpackModel(rows[0].artefact)));
  }
  return { suburbs: suburbs.rows, suburbs_known: suburbCount.rows[0]!.n, fields: fields.rows, models };
}
