import { LISTING_FEATURES, type ListingFeature } from '../../schema/records/market_event.ts';

/** Features of the property finder, as named in the specification. */
export const TEXT_FEATURES = LISTING_FEATURES;
export type TextFeature = ListingFeature;

interface Rule {
  /** Words that state the feature. */
  says: RegExp;
  /** Similar words with another meaning; they are removed first. */
  not_about?: RegExp;
  /** Words that deny the feature on their own. */
  denies?: RegExp;
}

const BIG =
  "(?:big|large|spacious|huge|generous(?:ly sized)?|expansive|oversized|substantial|grand|massive|ample|vast|enormous|extensive|chef'?s?|gourmet|entertainer'?s?|family[- ]sized|king[- ]sized)";
/** Words between the adjective and `kitchen` that show that it describes something else. */
const ELSEWHERE =
  '(?:(?:bed|bath)?rooms?|living|lounges?|blocks?|yard|backyard|courtyard|garden|garages?|deck|home|house|apartment|unit|with|plus)\\b';
const NEAR =
  '(?:close|near|nearby|opposite|walk|walking distance|minutes?|mins?|moments|metres|steps|drive|proximity|adjacent|next)';
const MAY_BE = '(?:room|space|potential|scope|option|plans|approval|permit|provision|enough)';

const RULES: Readonly<Record<TextFeature, Rule>> = {
  level_access: {
    says: /\b(?:level access|single[- ](?:level|storey|story)|one[- ]level|all on (?:the )?(?:one|same) level|step[- ]free|stair[- ]free|wheelchair (?:access(?:ible)?|friendly)|no (?:steps|stairs)|without (?:steps|stairs)|lift access|level entry|level (?:walk[- ]?in|from the street))\b/g,
    not_about: /\b(?:no|without) (?:steps|stairs) (?:away )?from\b/g,
    denies:
      /\b(?:no (?:lift|level access)|without (?:a )?lift|stairs only|steep (?:steps|stairs|driveway)|many (?:steps|stairs))\b/g,
  },
  good_view_outlook: {
    says: /\b(?:views?|vistas?|outlooks?|panoram(?:a|as|ic)|overlook(?:s|ing))\b/g,
    not_about:
      /\b(?:(?:to|please|must|come|can|may|now|in) view|view (?:by|this|the|it|today|now|more|our|on|online|at|anytime|with|all|floor|plan|will)\b|(?:street|virtual|3d|tour|google|map|online|inspection|private|rear|reverse|first|point of|re) views?|views? of (?:the )?(?:agents?|vendors?|owners?|sellers?))\b/g,
    denies: /\b(?:views? (?:is|are|has been|have been) (?:blocked|built out|obstructed|lost))\b/g,
  },
  presence_of_ensuite: {
    says: /\b(?:en[- ]?suites?|ensuited|wir (?:and|&|\+) ens)\b/g,
    not_about: new RegExp(`\\b${MAY_BE} (?:for|to add) (?:an? )?en[- ]?suites?\\b`, 'g'),
  },
  big_kitchen: {
    says: new RegExp(
      `\\b(?:${BIG}(?:[ ,]+(?!${ELSEWHERE})[\\w'-]+){0,3}[ ,]+kitchen|kitchen (?:is|with) (?:[\\w'-]+ ){0,1}${BIG}|eat[- ]in kitchen|butler'?s (?:pantry|kitchen)|kitchen of (?:generous|grand) (?:proportions|size))\\b`,
      'g',
    ),
    not_about: /\bkitchen (?:garden|tea)\b/g,
    denies: /\b(?:(?:small|tiny|compact|galley|little) kitchen|kitchenette)\b/g,
  },
  presence_of_pool: {
    says: /\b(?:swimming[- ]pools?|pools?|poolside|plunge pool|lap pool)\b/g,
    not_about: new RegExp(
      `\\b(?:car ?pool(?:ing)?|pool (?:table|room|hall|cue)s?|(?:local|council|public|community|municipal|town|olympic|nearby|school) (?:swimming )?pools?|${NEAR} (?:to |from |of |by )?(?:the |a )?(?:[\\w'-]+ ){0,3}pools?|${MAY_BE} (?:for|to (?:add|build|put in|install)) (?:an? )?(?:[\\w'-]+ ){0,2}pools?)\\b`,
      'g',
    ),
  },
  entertaining_area: {
    says: /\b(?:entertain(?:ing|er|ers|er's|ment)?|al ?fresco|bbq area|barbe[cq]ue area|pergola|deck|decking|covered patio)\b/g,
    not_about:
      /\b(?:entertainment (?:precinct|district|quarter|centre|center|venues?|options?|unit|cabinet|strip)|double[- ]deck(?:er)?|(?:restaurants|shops|shopping|dining|cafes) (?:and|&) entertainment)\b/g,
  },
  natural_light: {
    says: /\b(?:natural(?:ly)? (?:light|lit|sunlight)|light[- ]filled|filled with (?:natural )?(?:sun)?light|flooded with (?:natural )?(?:sun)?light|sun[- ]?(?:filled|drenched|lit|soaked|bathed|kissed)|sunny|sunlight|sky ?lights?|bathed in (?:natural )?(?:sun)?light|(?:light|bright) (?:and|&|,) (?:airy|bright|light|spacious)|bright|north(?:erly)?(?:[- ]east(?:erly)?)?[- ](?:facing|aspect|light|sun))\b/g,
    denies: /\b(?:dark (?:interior|rooms?|living)|lacks? (?:natural )?light|little (?:natural )?light)\b/g,
  },
};

/** Words that negate the following words within the same part of a sentence. */
const NEGATION =
  /\b(?:no|not|without|lacks?|lacking|never|nor|neither|isn't|doesn't|does not|has no|minus|excluding|missing|removed|former|filled[- ]in)\b(?:[ ]+[\w'-]+){0,3}[ ]+$/;
/** The same after a feature. */
const NEGATED_BEHIND =
  /^[ ]*(?:has been |was |have been |were )?(?:removed|filled in|not included|demolished)\b/;
/** `no steps` denies steps and so states level access: its own words contain the negation. */
const SAYS_NO = /^(?:no|without)\b/;
/** Phrases without negation, such as `not only a pool` and `no doubt`. */
const NO_NEGATION =
  /\b(?:not only|not just|not to mention|no doubt|no expense spared|no better|not far|no shortage of|no end of)\b/g;

/** Maximum characters read of a text; advertisements are much shorter. */
const MAX_CHARACTERS = 20_000;
const MARKUP = /<[^<>]{0,200}>|&nbsp;/g;

/** Splits a text into parts of sentences: a negation ends with its part. */
const partsOf = (text: string): string[] =>
  text
    .slice(0, MAX_CHARACTERS)
    .toLowerCase()
    .replace(/[’‘`]/g, "'")
    .replace(MARKUP, ' . ')
    .replace(NO_NEGATION, ' ')
    .split(/[.;:!?\n\r•*|()[\]/\u2013\u2014]| - |\b(?:but|however|although|though|yet)\b/)
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '');

/** Returns what one part of a sentence states about a feature: true, false, or null for nothing. */
function inPart(part: string, { says, not_about, denies }: Rule): boolean | null {
  const text = not_about ? part.replace(not_about, ' , ') : part;
  if (denies && text.search(denies) >= 0) return false;
  let answer: boolean | null = null;
  for (const match of text.matchAll(says)) {
    if (SAYS_NO.test(match[0])) return true;
    // A comma ends a negation. A list repeats it: `no pool, no garage`.
    const before = text.slice(0, match.index).split(',').at(-1)!;
    const behind = text.slice(match.index + match[0].length);
    const negated = NEGATION.test(`${before.trimEnd()} `.trimStart()) || NEGATED_BEHIND.test(behind);
    if (!negated) return true;
    answer = false;
  }
  return answer;
}

/** Returns what a text states about each feature: true if stated, false if only denied; absent if not mentioned. */
export function featuresOfText(text: string): Partial<Record<TextFeature, boolean>> {
  const parts = partsOf(text);
  const out: Partial<Record<TextFeature, boolean>> = {};
  for (const feature of TEXT_FEATURES) {
    const rule = RULES[feature];
    for (const part of parts) {
      const statement = inPart(part, rule);
      if (statement === null) continue;
      out[feature] = statement;
      if (statement) break;
    }
  }
  return out;
}

/**
 * Returns the features that a listing states and denies, from its list and its text. The list has priority over the text; names
 * that are not finder features are left out. Null: neither list nor text.
 */
export function statedFeatures(
  list: readonly string[] | null,
  text: string | null,
): { features: string[] | null; no_features: string[] | null } {
  if (list === null && (text === null || text.trim() === '')) return { features: null, no_features: null };
  const features = featuresOfText(text ?? '');
  for (const feature of TEXT_FEATURES) if (list?.includes(feature)) features[feature] = true;
  return {
    features: TEXT_FEATURES.filter((feature) => features[feature] === true),
    no_features: TEXT_FEATURES.filter((feature) => features[feature] === false),
  };
}
