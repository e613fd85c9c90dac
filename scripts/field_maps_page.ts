import { ZONE_CATEGORIES } from '../schema/records/zone.ts';
import { CADASTRE_FIELD_MAPS, type DropRule } from '../sources/cadastre/field_maps.ts';
import type { ColumnFilter } from '../sources/formats/column_filter.ts';
import { HAZARD_FIELD_MAPS } from '../sources/hazards/field_maps.ts';
import { OVERLAY_FIELD_MAPS } from '../sources/overlays/field_maps.ts';
import { ZONE_SCHEMES } from '../sources/zoning/categories.ts';
import { ZONING_FIELD_MAPS } from '../sources/zoning/field_maps.ts';
import { LEGAL_ID_FORMS } from '../transforms/address/lot_plan.ts';
import { ownMaps } from './field_map_examples.ts';

type MakeTable = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const list = (texts: readonly string[] | null | undefined): string => (texts ?? []).join(', ') || '–';
const code = (text: string): string => `\`${text}\``;
const yes = (value: boolean): string => (value ? 'yes' : '–');

function dropText({ name, fields, keep, drop, blank }: DropRule): string {
  const says = [
    keep === undefined ? [] : [`not ${keep.join(', ')}`],
    drop === undefined ? [] : [drop.join(', ')],
    blank ? ['blank'] : [],
  ].flat();
  return `${name}: ${fields[0]} ${says.join(' or ')}`;
}

const filterText = ({ fields, keep }: ColumnFilter): string => `${fields[0]}: ${keep.join(', ')}`;

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
    'in the configuration, takes the place of any of these. Those of Victoria have read deliveries; the others follow the publishers’ lists of',
    'fields. What a file lacks is an error where it is needed, and a note of the run report where a status or class cannot be told.',
    '',
    ownMaps(),
    '## Cadastre',
    'Left out are rows by the first rule that holds. `united`: the rows of one lot on plan are one parcel.',
    '',
    table(
      ['map', 'parcel', 'lot on plan', 'united', 'left out'],
      Object.entries(CADASTRE_FIELD_MAPS).map(([name, map]) => [
        name,
        list(map.parcel_id),
        map.lot_plan === null
          ? '– (by position)'
          : map.lot_plan.parts.map(list).join(` ${map.lot_plan.separator} `),
        yes(map.unite_lots),
        map.drops.map(dropText).join('; '),
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
      ['map', 'code', 'name', 'in force', 'prevails', 'categories', 'statewide'],
      Object.entries(ZONING_FIELD_MAPS).map(([name, map]) => [
        name,
        list(map.code),
        list(map.name),
        map.status === null ? '–' : `${map.status.fields[0]}: ${list(map.status.keep)}`,
        map.prevails === null ? '–' : `${list(map.prevails.fields)}: ${list(map.prevails.starts)} …`,
        map.scheme ?? '–',
        yes(map.statewide),
      ]),
    ),
    '',
    '### Categories',
    'The normalised category of a zone, by code (`vic`, `nsw`, `act`; with any schedule behind it) or by name (`qld`, `sa`, `tas`, `wa`; with or',
    'without “zone” and a precinct in brackets). The codes E1 to E4 of NSW that are called national parks or environmental something are',
    'conservation. A zone that is not listed has no category, and the run report lists it.',
    '',
    table(['category', ...Object.keys(ZONE_SCHEMES)], transposed(categories)),
    '',
    '## Overlays',
    table(
      ['map', 'layer', 'code', 'value', 'taken', 'statewide'],
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
      ]),
    ),
    '',
    '## Hazards',
    'Unassessed classes say that nobody looked: they are no hazard and no all-clear.',
    '',
    table(
      ['map', 'layer', 'class', 'taken', 'unassessed', 'ranks (1 low to 4 extreme)', 'statewide'],
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
      ]),
    ),
    '',
  ].join('\n');
}

/** Rows of categories from columns of schemes. */
function transposed(schemes: readonly (readonly string[])[]): string[][] {
  return ZONE_CATEGORIES.map((category, i) => [category, ...schemes.map((scheme) => scheme[i + 1]!)]);
}
