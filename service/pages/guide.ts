import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { servicePage } from './service_page.ts';

/** Documents of the guide, in their order. */
const DOCUMENTS = ['ten_lines.md', 'guide.md'] as const;

/** Renders documents below the title of a page. Links to files of the repository become plain text, because they are not served. */
const markdown = new Marked({
  walkTokens(token) {
    if (token.type === 'heading') token.depth++;
    if (token.type === 'link' && !/^(https?:|#|\/)/.test(token.href)) token.type = 'text';
  },
});

/** Builds the page of the guide for customers. */
export function guidePage(): string {
  const parts = DOCUMENTS.map((name) =>
    markdown.parse(readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8'), { async: false }),
  );
  return servicePage(
    '/guide',
    'Guide',
    `<div class="guide">${parts.join('\n').replaceAll('<pre>', '<pre tabindex="0">')}</div>`,
    null,
  );
}
