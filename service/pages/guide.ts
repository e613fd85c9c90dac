import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { servicePage } from './service_page.ts';

/** Documents of the guide, in their order. */
const DOCUMENTS = ['ten_lines.md', 'guide.md'] as const;

/** Address and properties of the examples in the documents. */
const EXAMPLE_ADDRESS = '12 Acland St, St Kilda VIC';
const EXAMPLE_IDS = '"GAVIC900000001", "GAVIC900000002"';

/** What the examples are about in an installation: a sample that the sandbox key can read. */
export interface GuideSubject {
  base_url: string;
  key: string;
  gnaf_pid: string;
  address: string;
}

/** Escapes a text for the quotes around the example address in a language. */
const QUOTED: Readonly<Record<string, (text: string) => string>> = {
  sh: (text) => text.replaceAll("'", "'\\''"),
  ts: (text) => text.replaceAll("'", "\\'"),
  python: (text) => text.replaceAll('"', '\\"'),
};

/** Renders documents below the title of a page. Links to files of the repository become plain text, because they are not served. */
function markdownOf(subject: GuideSubject | null): Marked {
  return new Marked({
    walkTokens(token) {
      if (token.type === 'heading') token.depth++;
      if (token.type === 'link' && !/^(https?:|#|\/)/.test(token.href)) token.type = 'text';
      if (subject === null || (token.type !== 'code' && token.type !== 'text')) return;
      const quoted = QUOTED[token.type === 'code' ? token.lang : '']?.(subject.address) ?? subject.address;
      token.text = token.text
        .replaceAll(EXAMPLE_ADDRESS, () => quoted)
        .replaceAll(EXAMPLE_ADDRESS.replace(/ VIC$/, ''), () => quoted)
        .replaceAll(EXAMPLE_IDS, `"${subject.gnaf_pid}"`);
    },
  });
}

/** Builds the page of the guide for customers. `subject` null: nothing is published, so the examples stay as written. */
export function guidePage(subject: GuideSubject | null): string {
  const markdown = markdownOf(subject);
  const settings =
    subject === null
      ? ''
      : `With these two lines every example below runs as it is, free of charge:\n\`\`\`sh\nexport BASE='${subject.base_url}'\nexport KEY='${subject.key}'\n\`\`\`\n`;
  const parts = [
    settings,
    ...DOCUMENTS.map((name) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')),
  ].map((text) => markdown.parse(text, { async: false }));
  return servicePage(
    '/guide',
    'Guide',
    `<div class="guide">${parts.join('\n').replaceAll('<pre>', '<pre tabindex="0">')}</div>`,
    'guide_page.mjs',
  );
}
