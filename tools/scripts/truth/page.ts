import type { Comparison } from './comparison.ts';

/** Comparisons of one database with the oracles that were given. */
export interface Section {
  name: string;
  comparisons: readonly Comparison[];
}

const INTRODUCTION = `# Verified against independent data
Published values compared with values computed without the pipeline. Each section compares one database with one folder of oracles.
\`npm run truth\` rewrites its own section and leaves the others unchanged:
\`\`\`
npm run truth -- --name "Sample country" --config .data/sample/config.yaml --oracles .data/sample/truth
npm run truth -- --name "City of Yarra" --config config/yarra.yaml --oracles ../shared/data/yarra/expected,../shared/data/listing_match
\`\`\`
Refresh the database first. An oracle is a CSV file whose name selects the comparison (\`tools/scripts/truth/oracles.ts\`); any folder with
files of these names and columns works. With \`--check\` nothing is written, and the exit code is 1 if a row does not agree. The oracles
of Yarra were computed with GEOS and PROJ and by hand. The oracles of the sample country come from its generator, which writes the
publishers' files from a fictional world. *Left out* rows cannot decide the comparison; the remark gives the reason.
`;

const begin = (name: string): string => `<!-- truth:${name} -->`;
const end = (name: string): string => `<!-- /truth:${name} -->`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function tableRow({ what, oracle, rows, agree, undecided, worst, remark, wrong }: Comparison): string {
  const share = rows === 0 ? '–' : `${((100 * agree) / rows).toFixed(2)} %`;
  const remarks = [remark, wrong.length > 0 ? `Not agreeing, among others: ${wrong.join('; ')}.` : ''];
  return `| ${[
    what,
    `\`${oracle}\``,
    rows,
    `${agree} (${share})`,
    worst ?? '–',
    undecided,
    remarks.filter(Boolean).join(' '),
  ]
    .map((each) => cell(String(each)))
    .join(' | ')} |`;
}

/** A section as it stands on the page. */
export function sectionText({ name, comparisons }: Section): string {
  return [
    begin(name),
    `## ${name}`,
    '| compared | with | rows | agree | worst | left out | remarks |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...comparisons.map(tableRow),
    end(name),
  ].join('\n');
}

/** The page with a section in its place: where it stood, else at the end. Null: there is no page yet. */
export function withSection(page: string | null, section: Section): string {
  const own = sectionText(section);
  const sections = page === null ? '' : page.slice(Math.max(0, page.indexOf('<!-- truth:')));
  const [from, to] = [sections.indexOf(begin(section.name)), sections.indexOf(end(section.name))];
  const body =
    from < 0 || to < 0
      ? `${sections.includes('<!-- truth:') ? `${sections.trimEnd()}\n\n` : ''}${own}\n`
      : sections.slice(0, from) + own + sections.slice(to + end(section.name).length);
  return `${INTRODUCTION}\n${body.trimEnd()}\n`;
}
