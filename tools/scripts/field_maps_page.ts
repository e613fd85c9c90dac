import { ZONE_CATEGORIES } from '../../schema/records/zone.ts';
import { CADASTRE_FIELD_MAPS, type DropRule } from '../../sources/cadastre/field_maps.ts';
import type { ColumnFilter } from '../../sources/fields/column_filter.ts';
import { HAZARD_FIELD_MAPS } from '../../sources/hazards/field_maps.ts';
import { OVERLAY_FIELD_MAPS } from '../../sources/overlays/field_maps.ts';
import { ZONE_SCHEMES } from '../../sources/zoning/categories.ts';
import { ZONING_FIELD_MAPS } from '../../sources/zoning/field_maps.ts';
import { ownMaps } from './field_map_examples.ts';
import { SEEN } from './field_maps_seen.ts';
import { LEGAL_ID_FORMS } from './legal_id_forms.ts';

type MakeTable = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

/** What a map was held against. */
const seen = (kind: keyof typeof SEEN, name: string): string =>
  (SEEN[kind] as Readonly<Record<string, string>>)[name] ?? '';

const list = (texts: readonly string[] | null | undefined): string => (texts ?? []).join(', ') || '–';
const code = (text: string): string => `\`${text}\``;
const yes = (value: boolean): string => (value ? 'yes' : '–');

function dropText({ name, fields, keep, drop, match, ended, blank }: DropRule): string {
  const says = [
    ended ? ['ended'] : [],
    match === undefined ? [] : [`like ${match}`],
    keep === undefined ? [] : [`not ${keep.join(', ')}`],
    drop === undefined ? [] : [drop.join(', ')],
    blank ? ['blank'] : [],
  ].flat();
  return `${name}: ${fields[0]} ${says.join(' or ')}`;
}

/** What a filter takes; where it takes all but some, those and the name of their drop. */
const filterText = ({ fields, keep, other, drop, match }: ColumnFilter): string =>
  match === 'end_date'
    ? `${fields[0]}: not ended (${drop})`
    : keep.includes('*')
      ? `${fields[0]}: ${(other ?? []).length === 0 ? 'any' : `not ${list(other)} (${drop})`}`
      : `${fields[0]}: ${list(keep.map((value) => value || 'blank'))}`;

/** What the maps of columns take from each publisher's layers, for docs/field_maps.md. `table` writes a Markdown table. */
export function fieldMapsPage(notice: string, table: MakeTable): string {
  const categories = Object.entries(ZONE_SCHEMES).map(([scheme, bases]) => [
    scheme,
    ...ZONE_CATEGORIES.map((category) => list(bases[category])),
  ]);
  return [
    notice,
    '# Field maps',
    'What is read of each publisher’s layers, by the name that the option `field_map` takes; left out, the state (and the hazard layer)',
    'names it. Columns are aliases in order of preference, without case, also by their first ten characters. A map of your own, written',
    'in the configuration, takes the place of any of these. `seen`: what a map was held against: a delivery, with the year it was read and its rows; the',
    'publisher’s dictionary or an export; or neither. Other forms of the same publishers’ layers are written by the generator of the sample country (`deliveries/` of its folder) and loaded by a test. What a file lacks is an error where it is needed, and a note of the run report where a status or',
    'class cannot be told.',
    '',
    '**A value that a map does not know is not an all-clear.** A filter names what it takes and what else the publisher has; `*` stands for any text. A value that',
    'neither list has is unknown: a hazard area of an unknown class is kept as not assessed where the dataset states a coverage, so that its layer is not',
    'covered there, and is the drop `unknown_class` where it states none; an unknown line or point is taken; an overlay or zone of an unknown status is taken.',
    'In a map of your own, `other` lists the values that are something else; left out, everything that `keep` does not name is unknown once the',
    'dataset states a coverage. The run report and `doctor` list unknown values with their rows. A dataset of which no row is loaded fails its audit',
    '(`loaded:<dataset>`), and so does one with more unknown rows than `gates.unknown_share_max` (`unknown:<dataset>`); `gates.datasets` sets limits for one.',
    '',
    '**What must not be shown is never published.** Aboriginal objects (`LAY_CLASS`) and records whose publisher restricts them (`DataRestrictions`,',
    '`restricted`, `boundary_restricted`) are the drop `sensitive` of hazards and overlays, whatever map they are read by.',
    '',
    ownMaps(),
    '## Cadastre',
    'Left out are rows by the first rule that holds. `united`: the rows of one lot on plan are one parcel.',
    '',
    table(
      ['map', 'parcel', 'lot on plan', 'united', 'left out', 'seen'],
      Object.entries(CADASTRE_FIELD_MAPS).map(([name, map]) => [
        name,
        list(map.parcel_id),
        map.lot_plan === null
          ? '– (by position)'
          : map.lot_plan.parts.map(list).join(` ${map.lot_plan.separator} `),
        yes(map.unite_lots),
        map.drops.map(dropText).join('; '),
        seen('cadastre', name),
      ]),
    ),
    '',
    '### Legal parcel ids',
    'How G-NAF writes the legal parcel id of an address, and the same parcel as cadastres do; both are brought to one form and joined. A',
    'refresh says which cadastre no or few addresses join by it, with examples of both sides, and so does `doctor`. A column that writes it',
    'in yet another way needs patterns (above).',
    '',
    table(
      ['state', 'G-NAF', 'cadastre', 'rule', 'seen'],
      LEGAL_ID_FORMS.map(({ state, gnaf, cadastre, rule, isSeen }) => [
        state,
        code(gnaf),
        cadastre.map(code).join(', ') || '–',
        rule,
        isSeen ? 'in releases' : 'not yet',
      ]),
    ),
    '',
    '## Zones',
    table(
      ['map', 'code', 'name', 'in force', 'prevails', 'categories', 'statewide', 'seen'],
      Object.entries(ZONING_FIELD_MAPS).map(([name, map]) => [
        name,
        list(map.code),
        list(map.name),
        map.filters.map(filterText).join('; ') || '–',
        map.prevails === null ? '–' : `${list(map.prevails.fields)}: ${list(map.prevails.starts)} …`,
        map.scheme ?? '–',
        yes(map.statewide),
        seen('zoning', name),
      ]),
    ),
    '',
    '### Categories',
    'The normalised category of a zone, by code (`vic`, `nsw`, `act`; with any schedule behind it) or by name (`qld`, `sa`, `tas`, `wa`; with or',
    'without “zone” and a precinct in brackets; of several columns the first that the list has, with a precinct behind it); outside Victoria a name that no list has goes by its words (`sources/zoning/zone_words.ts`). The codes E1 to E4 of NSW that are called national parks or environmental something are',
    'conservation. What neither tells has no category, and the run report lists it with its share.',
    '',
    table(['category', ...Object.keys(ZONE_SCHEMES)], transposed(categories)),
    '',
    '## Overlays',
    table(
      ['map', 'layer', 'code', 'value', 'taken', 'statewide', 'seen'],
      Object.entries(OVERLAY_FIELD_MAPS).map(([name, map]) => [
        name,
        'is' in map.layer
          ? map.layer.is
          : 'fields' in map.layer
            ? list(map.layer.fields)
            : 'family of the code',
        list(map.code),
        map.value.rule,
        map.filters.map(filterText).join('; ') || '–',
        yes(map.statewide),
        seen('overlays', name),
      ]),
    ),
    '',
    '## Hazards',
    'Unassessed classes say that nobody looked: they are no hazard and no all-clear. In every map so are classes that say not assessed, studied, mapped or',
    'modelled, and investigation areas.',
    '',
    table(
      ['map', 'layer', 'named by', 'taken', 'unassessed', 'ranks (1 low to 4 extreme)', 'statewide', 'seen'],
      Object.entries(HAZARD_FIELD_MAPS).map(([name, map]) => [
        name,
        map.layer ?? 'any',
        list(map.name),
        map.filters.map(filterText).join('; ') || '–',
        map.unassessed.join('; ') || '–',
        Object.entries(map.severity)
          .map(([label, rank]) => `${label} ${rank}`)
          .join('; ') || '–',
        yes(map.statewide),
        seen('hazards', name),
      ]),
    ),
    '',
  ].join('\n');
}

/** Rows of categories from columns of schemes. */
function transposed(schemes: readonly (readonly string[])[]): string[][] {
  return ZONE_CATEGORIES.map((category, i) => [category, ...schemes.map((scheme) => scheme[i + 1]!)]);
}
