/** How a state's legal identifiers are written, with one example for both sides. */
interface LegalIdForm {
  readonly state: string;
  /** As G-NAF's LEGAL_PARCEL_ID has it. */
  readonly gnaf: string;
  /** The same parcel as cadastres write it; none: the state's cadastre has no such column. */
  readonly cadastre: readonly string[];
  readonly rule: string;
  /** Seen in releases of both; else only the rule for spaces is applied. */
  readonly isSeen: boolean;
}

/** What is known of G-NAF's legal identifiers by state; docs/field_maps.md has it as a table. */
export const LEGAL_ID_FORMS: readonly LegalIdForm[] = [
  {
    state: 'NSW',
    gnaf: '381//DP1061794',
    cadastre: ['381//DP1061794', '381/DP1061794', 'DP1061794/381', '381//1061794'],
    rule: 'lot/section/plan, the section mostly empty; a bare plan number is DP; the lots of an SP plan are its one ground polygon, //SP65328',
    isSeen: true,
  },
  {
    state: 'VIC',
    gnaf: '1008\\PS908944',
    cadastre: ['1008\\PS908944', '1008 \\ PS908944'],
    rule: 'lot\\plan with its backslash, Crown land with ~; a plan alone where it has no lots',
    isSeen: true,
  },
  {
    state: 'QLD',
    gnaf: '3/RP602276',
    cadastre: ['3RP602276', '3/RP602276', 'RP602276/3'],
    rule: 'lot and plan without what stands between them, in either order where a / does',
    isSeen: true,
  },
  {
    state: 'SA',
    gnaf: 'D12345 A1',
    cadastre: ['D12345 A1', 'D12345   A1'],
    rule: 'plan and parcel, runs of spaces as one',
    isSeen: false,
  },
  {
    state: 'WA',
    gnaf: 'P012345 12',
    cadastre: ['P012345 12', 'P012345   12'],
    rule: 'plan and lot, runs of spaces as one; the free cadastre has no such column',
    isSeen: false,
  },
  {
    state: 'TAS',
    gnaf: '123456/1',
    cadastre: ['123456/1', '123456 / 1'],
    rule: 'volume/folio',
    isSeen: false,
  },
  {
    state: 'NT',
    gnaf: '5/S1234',
    cadastre: ['5/S1234'],
    rule: 'lot/survey plan, runs of spaces as one',
    isSeen: false,
  },
  {
    state: 'ACT',
    gnaf: 'CANB/GRIF/25/14',
    cadastre: [],
    rule: 'by position: G-NAF abbreviates district and division, the cadastre numbers them',
    isSeen: true,
  },
];
