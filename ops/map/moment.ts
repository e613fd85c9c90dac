import { EtlError } from '../../schema/errors.ts';
import type { MapSnapshot } from './past_views.ts';

/** Query parameters that choose the state of a page or tile: `publication`, and `since` for differences. */
export interface MomentQuery {
  publication?: string | string[];
  since?: string | string[];
}

function numberOf(name: string, parameter: string | string[] | undefined): number | null {
  if (parameter === undefined || parameter === '') return null;
  if (typeof parameter === 'string' && /^[1-9][0-9]{0,8}$/.test(parameter)) return Number(parameter);
  throw new EtlError('config_invalid', `${name} is the number of a publication.`);
}

/**
 * Parses the requested state. Null: the served publication. @throws EtlError config_invalid if the parameters are wrong,
 * unknown_publication if nothing is published
 */
export function momentOf(query: MomentQuery, last: number | null): MapSnapshot | null {
  const publication = numberOf('publication', query.publication) ?? last;
  const since = numberOf('since', query.since);
  if (publication === null) {
    if (since === null) return null;
    throw new EtlError('unknown_publication', 'Nothing is published.');
  }
  if (since === null) return publication === last ? null : { publication, since };
  if (since < publication) return { publication, since };
  throw new EtlError('config_invalid', `since is a publication before ${publication}.`);
}

/** Formats a state as query parameters. */
export const momentText = (moment: MapSnapshot | null): string => {
  if (moment === null) return '';
  const { publication, since } = moment;
  return `?publication=${publication}${since === null ? '' : `&since=${since}`}`;
};
