import { WrongParameters } from '../../contract/answers/parameter_errors.ts';
import { isAway } from '../../store/system/connection_error.ts';
import { internal, invalid, Refusal, unavailable } from './refusal.ts';
import { shortageOf } from './shortage.ts';

/** Code of PostgreSQL for a query that took too long. */
const TOO_LONG = '57014';

/** Converts a failure to a refusal: refusals stay, wrong parameters are 422, an unreachable database 503, anything else 500. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof WrongParameters) return invalid(error.detail);
  const { code } = error as { code?: string };
  if (code === TOO_LONG) return unavailable('The query took too long.', 5);
  if (isAway(error)) return unavailable('The database does not answer.', 2);
  const shortage = shortageOf(error);
  if (shortage !== null) return unavailable(shortage, 10);
  return internal();
}
