/** The grammar of field maps and worked examples of it, for docs/field_maps.md; a test reads a file with each. */
export const FIELD_MAP_GRAMMAR = `## A map of your own
\`pipeline inspect <file or folder>\` shows layers, columns, values and CRS, and proposes the dataset that a file is: adapter, state and named
map, by its columns, by the values that the map knows and by where its features lie; for a layer of overlays also the hazards that are in it. Where
no named map fits it proposes one: a cadastre where a layer has what parcels have (an identifier in every row, polygons as small as lots, an address or a
lot size, a name that says so), a table of sales where columns are a date, a price and an address, else one to be completed; what cannot be read says why. A map is written under
\`options.field_map\` of a dataset. A column is one name or a list of aliases in order of preference, without case, also by its
first ten characters; of each row the first that is filled counts.

| adapter | key | is |
| --- | --- | --- |
| cadastre | \`parcel_id\` | column of the identifier of a parcel; unique in the dataset but where lots are united |
| cadastre | \`lot_plan\` | column of the lot on plan; or \`parts\` (a list of columns), \`separator\` between them, and \`patterns\`: the first \`match\` (a regular expression, without case) rewrites the joined text as \`write\` says, \`$1\` or \`$<name>\` standing for groups. Left out: addresses join by position |
| cadastre | \`unite_lots\` | \`true\`: the rows of one lot on plan are one parcel |
| cadastre | \`drops\` | rules in order: \`name\`, \`fields\` (columns), and \`keep\` (any other value is dropped), \`drop\` (these are), \`match\` (a regular expression), \`ended: true\` (dates of an end) or \`blank: true\`; \`*\` in a value stands for any text |
| zoning | \`code\`, \`name\` | columns of code and name; one of the two is necessary |
| zoning | \`zone_id\` | column of the identifier |
| zoning | \`status\` | \`fields\`, \`keep\`: zones that are in force |
| zoning | \`prevails\` | \`fields\`, \`starts\`: zones that prevail over others |
| zoning | \`scheme\` | whose names or codes give the category: a column of the table of categories |
| hazards | \`label\` | name of the layer in words; necessary |
| hazards | \`name\`, \`code\`, \`feature_id\` | columns of class, code and identifier |
| hazards | \`listing\` | columns with the kind of listing in a register: it is the class, and the name is the feature's |
| hazards | \`kinds\` | \`polygon\`, \`line\`, \`point\`: shapes that are taken |
| hazards | \`detail\` | \`fields\`, \`unit\`: a further value |
| hazards | \`filters\` | which features are taken: \`fields\`, \`keep\`, \`match\` (\`value\`, \`family\` or \`end_date\`), \`optional\` |
| hazards | \`severity\` | class or code to rank, 1 low to 4 extreme |
| hazards | \`unassessed\` | classes that say that nobody looked |
| hazards | \`event_date\` | \`fields\`, \`format\` |
`;

export interface FieldMapExample {
  title: string;
  says: string;
  yaml: string;
}

export const FIELD_MAP_EXAMPLES: readonly FieldMapExample[] = [
  {
    title: 'A council’s cadastre',
    says: 'Plan and lot stand in one column, `Lot 3 on RP602276`; easements and roads stand among the lots; a lot may have several rows.',
    yaml: `cadastre_council:
  adapter: cadastre
  path: council/parcels.geojson
  options:
    state: QLD
    field_map:
      parcel_id: LOT_DESC
      lot_plan:
        parts: [LOT_DESC]
        patterns:
          - { match: '^lot (\\w+) on ([a-z]+\\d+)$', write: $1/$2 }
      unite_lots: true
      drops:
        - { name: easement, fields: [FEATURE], drop: [Easement*] }
        - { name: road, fields: [FEATURE], drop: [Road] }
`,
  },
  {
    title: 'A hazard layer',
    says: 'Classes of a council’s flood study, one of which says that nothing was studied, and areas that were withdrawn.',
    yaml: `flood_council:
  adapter: hazards
  path: council/flood.geojson
  options:
    state: QLD
    layer: flood
    field_map:
      label: Council flood study
      name: FLOOD_CLASS
      feature_id: FID
      filters:
        - { fields: STATUS, keep: [Current] }
      severity: { High hazard: 4, Low hazard: 2 }
      unassessed: [Not studied]
`,
  },
  {
    title: 'A zoning file',
    says: 'The code stands in a column of its own name; what is only proposed is left out; names are those of Queensland’s zones.',
    yaml: `zoning_council:
  adapter: zoning
  path: council/zones.geojson
  options:
    state: QLD
    field_map:
      zone_id: FID
      code: SCHEME_CODE
      name: SCHEME_ZONE
      status: { fields: [STATUS], keep: [In force] }
      scheme: qld
`,
  },
];

/** The chapter on maps of one's own. */
export const ownMaps = (): string =>
  [
    FIELD_MAP_GRAMMAR,
    ...FIELD_MAP_EXAMPLES.map(
      ({ title, says, yaml }) => `### ${title}\n${says}\n\`\`\`yaml\n${yaml}\`\`\`\n`,
    ),
  ].join('\n');
