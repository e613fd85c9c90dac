import { html, type Markup } from '../html.ts';

/** Levels that have a page, with the first part of its path. */
export const AREA_PAGES = { SAL: 'suburb', LGA: 'lga', SA2: 'sa2' } as const;
export type PageLevel = keyof typeof AREA_PAGES;

/** Path of the page of a suburb by name, or of an LGA or SA2 by code or name. */
export const areaPath = (level: PageLevel, id: string): string =>
  `/${AREA_PAGES[level]}/${encodeURIComponent(id)}`;

/** Link to the page of an area. Empty: it has no id. */
export const areaLink = (level: PageLevel, id: string, name: string): Markup | '' =>
  id === '' ? '' : html`<a href="${areaPath(level, id)}">${name || id}</a>`;
