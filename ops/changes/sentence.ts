import { shownValue } from '../../contract/shown_value.ts';
import { addressTitleCase } from '../../contract/title_case.ts';
import { type ChangeSummary, type EstimateChange, SMALL } from '../../pipelines/views/change_summary.ts';
import type { Publication } from '../../store/journal/journal.ts';
import { html, type Markup } from '../html.ts';
import { propertyLink } from '../property/view.ts';

const n = (value: number): string => value.toLocaleString('en-AU');
const count = (value: number, one: string): string =>
  `${value === 1 ? 'one' : n(value)} ${one}${value === 1 ? '' : 's'}`;
/** Maximum releases to name. */
const RELEASES = 3;

/** Formats an estimate, or a difference with its sign, as its confidence allows. Null: no estimate. */
export function dollars(value: number | null, confidence: number | null, isDifference = false): string {
  if (value === null) return 'none';
  const { value: shown, is_rounded } = shownValue(Math.abs(value), confidence);
  const sign = isDifference ? (value < 0 ? '−' : '+') : '';
  return `${is_rounded ? 'about ' : ''}${sign}$${n(shown)}`;
}

/** Links to the property of a changed estimate. */
export const changedHome = ({ gnaf_pid, address }: EstimateChange): Markup =>
  propertyLink(gnaf_pid, address === null ? gnaf_pid : addressTitleCase(address));

/** Says what led to the changes of a publication. */
function causeText(
  { kind, restores, reason }: Pick<Publication, 'kind' | 'restores' | 'reason'>,
  { sales, releases }: ChangeSummary,
): string {
  if (kind === 'rollback') return `because publication ${restores} was restored: ${reason ?? ''}`;
  const arrived = sales.reduce((sum, each) => sum + each.n, 0);
  const where = sales[0]?.suburb ?? null;
  const inSuburb = where === null ? '' : sales.length === 1 ? ` in ${where}` : `, most of them in ${where}`;
  const named = releases.slice(0, RELEASES).join(', ');
  const more = releases.length > RELEASES ? ` and ${releases.length - RELEASES} more` : '';
  const causes = [
    ...(arrived > 0 ? [`${count(arrived, 'sale')} arrived${inSuburb}`] : []),
    ...(releases.length > 0 ? [`${named}${more} arrived`] : []),
  ];
  return causes.length > 0
    ? `because ${causes.join(', and ')}`
    : 'because of the program, its settings or the passing of time';
}

/** Writes in sentences how many estimates a publication changed, why, and which one most. `summary` null: not known. */
export function changeSentence(
  publication: Pick<Publication, 'publication_id' | 'kind' | 'restores' | 'reason'> &
    Partial<Pick<Publication, 'tables'>>,
  summary: ChangeSummary | null,
): Markup {
  const name = `Publication ${publication.publication_id}`;
  if (summary === null)
    return html`${publication.publication_id === 1 ? `${name} is the first: everything in it is new.` : `What ${name.toLowerCase()} changed is no longer kept.`}`;
  const { changed, small, added, removed, largest } = summary;
  const parts = [
    ...(changed > 0
      ? [
          `changed ${count(changed, 'estimate')}${changed > 1 ? `, ${n(small)} of them by less than ${100 * SMALL} %` : ''}`,
        ]
      : []),
    ...(added > 0 ? [`added ${count(added, 'estimate')}`] : []),
    ...(removed > 0 ? [`removed ${count(removed, 'estimate')}`] : []),
  ];
  const rows =
    publication.tables?.reduce((sum, each) => sum + each.inserted + each.updated + each.deleted, 0) ?? 0;
  const elsewhere = rows === 0 ? '' : `, but ${count(rows, 'row')} of other tables`;
  const did = parts.length > 0 ? parts.join(', ') : `changed no estimate${elsewhere}`;
  const why = parts.length + rows > 0 ? `, ${causeText(publication, summary)}` : '';
  const [most] = largest;
  if (most === undefined || most.before === null || most.after === null) return html`${name} ${did}${why}.`;
  const { before, after, confidence, new_comparables } = most;
  return html`${name} ${did}${why}. Largest: ${changedHome(most)}, ${dollars(after - before, confidence, true)}, ${new_comparables === 0 ? 'no new comparable' : count(new_comparables, 'new comparable')}.`;
}
