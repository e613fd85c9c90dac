import { groupBy } from '../schema/group_by.ts';
import { html, type Markup } from './html.ts';

/** Something that was not assessed: its title, why, and a mark of its late datasets. */
export interface Absence {
  title: string;
  reason: string;
  mark: Markup;
}

/** Lists what was not assessed in one line, by reason. Empty: all was assessed. */
export function absence(absent: readonly Absence[]): Markup {
  if (absent.length === 0) return html``;
  const groups = [...groupBy(absent, ({ reason }) => reason)].map(([reason, layers], place) => {
    const names = layers.map(
      ({ title, mark }, i) =>
        html`${i > 0 ? ', ' : ''}<span class="layer">${title.toLowerCase()}${mark}</span>`,
    );
    return html`${place > 0 ? '; ' : ''}${names} (${reason})`;
  });
  return html`<p class="absent"><span class="warn">Not assessed here</span>: ${groups}</p>`;
}
