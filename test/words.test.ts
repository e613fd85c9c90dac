import { expect, it } from 'vitest';
import { LAYERS } from './layers.ts';
import { type SourceFile, sourceFiles } from './source_tree.ts';

/** Limits that are only ever lowered. */
const MAX = { repeated: 0, vague: 4, marked: 0, long: 0, empty: 1, shared: 0, titles: 0 } as const;
const LONG_WORDS = 35;

/** Names that say too little to be the whole name of a type. */
const VAGUE =
  /^(Found|Known|Reads?|Reading|Judged|Kept|Told|Taken|Made|Asked|Ask|Held|Seen|Settled|Listed|Named|Noted|Placed|Stored|Waiting|Work|Nothing|Late|Moment|Memory|Whole|Where|Beside|Alike|Best|Books|Tally|Effects|Outcomes?|Answer|Answered|Given|Joined|Ranked|Recorded|Reported|Rejected|Link|Line|Piece|Parts?|Places?|Things?|Form|Kind|Half|Choice|Share|Notice)$/;

/** Names that say too little to be the whole name of a variable, a function or a private field. */
const EMPTY = new RegExp(
  `^#?(${[
    'told asked said found known own came went gone taken given half halves wish visit desk means face books alone sent here there was were',
    'got kept held seen made left rest beside whole late less more ask say tell thing things place way ways room rooms house named stated',
    'wanted judged settled shown meant heard read listed noted counted placed joined folded stamped granted standing waiting going being',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
);

/** Turns of phrase that hide who does what. */
const PHRASES: readonly RegExp[] = [
  /\b(of|by) which\b|\bof whom\b/i,
  /\b(is|are) told\b/i,
  /\bthose of (?!the same)|\bthat of (the|its|a|each|one)\b|\bsaid of\b/i,
  /\b(stands?|lies) (in|at|for)\b/i,
  /\bfor want of\b|\bas it was\b|\bis no \w+[.;,]/i,
  /^\W*(Who|Whom|Whose|By what|Of|In which|With|Where) [a-z]/,
  /\b(may|can) be had\b|\banew\b|\bso far as\b|\bas far as one\b/i,
  /\bwritten down\b|\bbesides? (it|them|the)\b/i,
];

/** Turns of phrase in the title of a test that hide what it claims about the product. */
const TITLE_PHRASES: readonly RegExp[] = [
  /\bthere (is|are) (not|none|no)\b|\bare none\b|\bthat is (no|none)\b|\bhold no\b/i,
  /\bfor nothing\b|\bnothing away\b|\bnowhere\b|\banew\b|\bbut for\b|\bbeside\b|\bother words\b/i,
  /\b(is|are|was|were) told\b|\b(say|says) (so|of)\b|\b(goes|go|went) on with\b|\bstands?\b/i,
  /\bwhere (it is|they are|nothing)\b|\bby (itself|themselves)\b|\bas (it|they|there) (is|are|was|were)\b/i,
  /\bof (which|whom)\b|^(of|in which|what|which|whose|where) /i,
];

const FILES = sourceFiles(LAYERS.filter((each) => !each.startsWith('tools'))).filter(({ path }) =>
  path.endsWith('.ts'),
);

interface Comment {
  at: string;
  text: string;
}

/** Comments of a file: a docstring, or lines of `//` below one another. */
function commentsOf({ path, text }: SourceFile): Comment[] {
  const found: Comment[] = [];
  const add = (index: number, raw: string): void => {
    const line = text.slice(0, index).split('\n').length;
    found.push({ at: `${path}:${line}`, text: raw.replace(/\s+/g, ' ').trim() });
  };
  for (const { index, 1: body } of text.matchAll(/^\s*\/\*\*?(.*?)\*\//gms))
    add(index + 1, body!.replace(/^\s*\*/gm, ' '));
  for (const { index, 0: block } of text.matchAll(/^(?:[ \t]*\/\/.*\n)+/gm))
    add(index, block.replace(/^\s*\/\/ ?/gm, ''));
  return found;
}

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?])\s+(?=[A-Z`])/);

const COMMENTS = FILES.flatMap(commentsOf);

function typeNames(): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { path, text } of FILES)
    for (const { 1: name } of text.matchAll(
      /^(?:export )?(?:abstract )?(?:interface|class|type) ([A-Z]\w*)/gm,
    ))
      names.set(name!, [...(names.get(name!) ?? []), path]);
  return names;
}

/** Fails with the whole list, so that the new entry can be found. */
function atMost(limit: number, found: readonly string[]): void {
  expect(found.length, `at most ${limit}:\n${found.join('\n')}`).toBeLessThanOrEqual(limit);
}

it('a type has a name of its own', () => {
  const repeated = [...typeNames()].filter(([, paths]) => paths.length > 1);
  atMost(
    MAX.repeated,
    repeated.map(([name, paths]) => `${name}: ${paths.join(', ')}`),
  );
});

it('a type has a name that says what it is', () => {
  atMost(
    MAX.vague,
    [...typeNames().keys()].filter((name) => VAGUE.test(name)),
  );
});

it('variables, functions and private fields have a name that says what they hold or do', () => {
  const declared =
    /\b(?:const|let|function\*?)\s+([A-Za-z_$]\w*)|^\s+(?:static |readonly |private |async )*(#[a-z]\w*)\s*(?:\(|=|:)/gm;
  const empty = FILES.flatMap(({ path, text }) =>
    [...text.matchAll(declared)]
      .map(({ 1: variable, 2: field }) => variable ?? field!)
      .filter((name) => EMPTY.test(name))
      .map((name) => `${path} ${name}`),
  );
  atMost(MAX.empty, empty);
});

it('an exported function or constant has a name of its own', () => {
  const paths = new Map<string, string[]>();
  for (const { path, text } of FILES)
    for (const { 1: name } of text.matchAll(/^export (?:async )?(?:function\*?|const) ([A-Za-z_$]\w*)/gm))
      paths.set(name!, [...(paths.get(name!) ?? []), path]);
  const shared = [...paths].filter(([, files]) => files.length > 1);
  atMost(
    MAX.shared,
    shared.map(([name, files]) => `${name}: ${files.join(', ')}`),
  );
});

it('comments are in plain English', () => {
  atMost(
    MAX.marked,
    COMMENTS.filter(({ text }) => PHRASES.some((phrase) => phrase.test(text))).map(
      ({ at, text }) => `${at} ${text}`,
    ),
  );
});

it(`sentences of comments have at most ${LONG_WORDS} words`, () => {
  const long = COMMENTS.flatMap(({ at, text }) =>
    sentencesOf(text)
      .filter((sentence) => sentence.split(' ').length > LONG_WORDS)
      .map((sentence) => `${at} ${sentence}`),
  );
  atMost(MAX.long, long);
});

it('the title of a test is a claim about the product', () => {
  const titles = sourceFiles(['test']).flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:it|test|describe)(?:\.each\([^\n]*?\))?\(\s*(['`])((?:(?!\1).){4,200})\1/g)].map(
      ({ 2: title }) => ({ path, title: title! }),
    ),
  );
  atMost(
    MAX.titles,
    titles
      .filter(({ title }) => TITLE_PHRASES.some((phrase) => phrase.test(title)))
      .map(({ path, title }) => `${path} ${title}`),
  );
});
