import { titleCase } from '../../contract/title_case.ts';

/** A property, street or suburb that a text may mean, with its page. */
export interface SearchSuggestion {
  kind: 'property' | 'street' | 'suburb';
  text: string;
  note: string;
  href: string;
}

export const propertyPlace = (gnaf_pid: string, address: string): SearchSuggestion => ({
  kind: 'property',
  text: titleCase(address),
  note: gnaf_pid,
  href: `/property/${encodeURIComponent(gnaf_pid)}`,
});
