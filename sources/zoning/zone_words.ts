import type { ZoneCategory } from '../../schema/records/zone.ts';

/**
 * Categories by words in a zone's name; the first match decides. Council schemes have thousands of names that no list has. A name without
 * these words has no category, which is reported.
 */
const WORDS: readonly (readonly [RegExp, ZoneCategory])[] = [
  [
    /\b(deferred|investigation|future urban|urban expansion|urban development|structure plan|development (area|zone)|special development|special use|priority development|canal|unzoned|unincorporated|not within a council|restricted use|additional use|precinct plan|project area|particular purpose|redevelopment|future development|special control|crown land)\b/,
    'other',
  ],
  [/^development$/, 'other'],
  [
    /\b(highway service|caravan|chalet|tourist|tourism|hotel|motel|resort|holiday|marina|short stay)\b/,
    'centre_mixed',
  ],
  [
    /\b(industr\w*|employment|enterprise|warehous\w*|extractive|quarr\w*|raw materials?|resource extraction|productivity support|bulk handling|mining|light manufactur\w*|working waterfront)\b/,
    'industrial',
  ],
  [
    /\b(road|roads|highways?|freeways?|distributor|rail|railway|railways|airport|airfield|aerodrome|aviation|port|ports|port installations|wharf|wharves|transport\w*|public (purpose|purposes|use|utilit\w*)|special (purpose|purposes|activities|uses)|civic|community (facilit\w*|purpose|purposes|use|services)|cultural|education\w*|school|university|hospital|health|medical|government|cemetery|utilit\w*|services? infrastructure|infrastructure|drain|drainage|water supply|sewer\w*|telecom\w*|car ?park|commonwealth|defence|emergency|police|fire station|prison|parking|care facilit\w*)\b/,
    'infrastructure',
  ],
  [
    /\b(parks? and recreation|public recreation|private recreation|recreation\w*|open space|parkland|parklands|park lands|regional park|sport\w*|golf|park preserve|showground|racecourse)\b/,
    'open_space',
  ],
  [
    /\b(conservation|environment\w*|bush ?forever|beach|nature reserves?|national parks?|bushland|foreshore|landscape|habitat|wetlands?|state forests?|ridges|river corridor|marine parks?|scenic|hills face)\b/,
    'conservation',
  ],
  [/\bagribusiness\b/, 'rural'],
  [
    /\b((medium|high|higher|medium.high)[ -]density|inner residential|multi.unit|apartments?|aged care|retirement|housing diversity|low-medium density)\b/,
    'residential_medium_high',
  ],
  [
    /\b(commercial|business|centre|centres|shop|shops|shopping|retail|mixed use|mixed|office|offices|showrooms?|town centre|city centre|central city|service station|entertainment|main street|private clubs?|clubs?|institutions?|place of worship|churche?s?|taverns?|bulky goods|innovation|composite|core)\b/,
    'centre_mixed',
  ],
  [
    /\b(rural[ -]residential|rural living|special rural|(rural )?small ?holdings?|rural retreat|farmlet|rural settlement|rural townsite|large lot)\b/,
    'residential_low',
  ],
  [
    /\b(rural|agricultur\w*|farming|pastoral|horticultur\w*|viticultur\w*|vineyards?|poultry|kennels?|forestry|broadacre|primary production|equestrian|equine|stables?)\b/,
    'rural',
  ],
  [
    /\b(residential|resid\w*|housing|village|township|townsite|settlement|neighbourhood|suburban|dwelling|urban)\b/,
    'residential_low',
  ],
  [/\b(water|waterway|waterways|waterfront|river|lake|water catchments?|marine|coastal waters)\b/, 'water'],
];

/** Returns the category of a name by its words; null: unknown. */
export const categoryOfWords = (name: string): ZoneCategory | null =>
  WORDS.find(([words]) => words.test(name.toLowerCase()))?.[1] ?? null;
