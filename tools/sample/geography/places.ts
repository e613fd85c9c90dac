/** States and territories in the order of the ABS digit and of G-NAF's STATE_PID. */
export type StateCode = 'NSW' | 'VIC' | 'QLD' | 'SA' | 'WA' | 'TAS' | 'NT' | 'ACT';

export interface Town {
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
  /** Degrees anticlockwise that its streets are turned from east. */
  readonly turn_deg: number;
}

/** What the generator knows of a state; positions are rough, the rest is the publishers' own coding. */
export interface StatePlace {
  readonly code: StateCode;
  readonly digit: string;
  readonly name: string;
  /** ABS abbreviation, as in `Richmond (Vic.)`. */
  readonly abs: string;
  /** PID prefix: GA and the state padded to three. */
  readonly pid: string;
  /** Share of Australia's properties. */
  readonly share: number;
  readonly capital: Town;
  readonly towns: readonly Town[];
  readonly gccsa: {
    readonly capital: readonly [string, string];
    readonly rest: readonly [string, string] | null;
  };
  /** First postcode, as a number. */
  readonly postcode: number;
}

const town = (name: string, lat: number, lon: number, turn_deg: number): Town => ({
  name,
  lat,
  lon,
  turn_deg,
});

/** Every state and mainland territory. Towns are 120 km or more apart and 70 km or more from a border. */
export const STATES: readonly StatePlace[] = [
  {
    code: 'NSW',
    digit: '1',
    name: 'New South Wales',
    abs: 'NSW',
    pid: 'GANSW',
    share: 0.31,
    capital: town('Harbour', -33.9, 151.0, 7),
    towns: [
      town('Westmere', -32.25, 148.6, 12),
      town('Tableland', -30.5, 151.65, 3),
      town('Redbank', -34.7, 146.3, 21),
      town('Silverton Plain', -31.5, 145.2, 0),
      town('Northmere', -30.1, 148.2, 33),
    ],
    gccsa: { capital: ['1GSYD', 'Greater Sydney'], rest: ['1RNSW', 'Rest of NSW'] },
    postcode: 2000,
  },
  {
    code: 'VIC',
    digit: '2',
    name: 'Victoria',
    abs: 'Vic.',
    pid: 'GAVIC',
    share: 0.26,
    capital: town('Bayside', -37.8, 145.0, 9),
    towns: [
      town('Goldfield', -36.9, 143.6, 28),
      town('Westport', -37.7, 142.0, 5),
      town('Lakes', -37.9, 147.2, 15),
      town('Mallee', -35.6, 142.2, 1),
    ],
    gccsa: { capital: ['2GMEL', 'Greater Melbourne'], rest: ['2RVIC', 'Rest of Vic.'] },
    postcode: 3000,
  },
  {
    code: 'QLD',
    digit: '3',
    name: 'Queensland',
    abs: 'Qld',
    pid: 'GAQLD',
    share: 0.21,
    capital: town('Riverbend', -27.5, 153.0, 14),
    towns: [
      town('Canefield', -21.2, 148.9, 17),
      town('Reef', -19.4, 146.5, 36),
      town('Downs', -27.2, 150.6, 4),
      town('Saltbush', -23.5, 144.3, 0),
      town('Gulf', -20.7, 140.5, 11),
    ],
    gccsa: { capital: ['3GBRI', 'Greater Brisbane'], rest: ['3RQLD', 'Rest of Qld'] },
    postcode: 4000,
  },
  {
    code: 'SA',
    digit: '4',
    name: 'South Australia',
    abs: 'SA',
    pid: 'GASA_',
    share: 0.075,
    capital: town('Parkland', -34.9, 138.6, 0),
    towns: [
      town('Gulfhead', -32.6, 137.8, 8),
      town('Limestone', -36.9, 140.0, 2),
      town('Opal', -29.1, 134.7, 24),
    ],
    gccsa: { capital: ['4GADE', 'Greater Adelaide'], rest: ['4RSAU', 'Rest of SA'] },
    postcode: 5000,
  },
  {
    code: 'WA',
    digit: '5',
    name: 'Western Australia',
    abs: 'WA',
    pid: 'GAWA_',
    share: 0.1,
    capital: town('Swanmouth', -31.95, 115.86, 6),
    towns: [
      town('Karri', -34.3, 116.2, 19),
      town('Goldmile', -30.75, 121.47, 40),
      town('Pearl', -18.2, 122.6, 10),
      town('Ironstone', -22.6, 117.8, 27),
    ],
    gccsa: { capital: ['5GPER', 'Greater Perth'], rest: ['5RWAU', 'Rest of WA'] },
    postcode: 6000,
  },
  {
    code: 'TAS',
    digit: '6',
    name: 'Tasmania',
    abs: 'Tas.',
    pid: 'GATAS',
    share: 0.022,
    capital: town('Mountain', -42.88, 147.33, 31),
    towns: [town('Tamar', -41.5, 147.1, 16)],
    gccsa: { capital: ['6GHOB', 'Greater Hobart'], rest: ['6RTAS', 'Rest of Tas.'] },
    postcode: 7000,
  },
  {
    code: 'NT',
    digit: '7',
    name: 'Northern Territory',
    abs: 'NT',
    pid: 'GANT_',
    share: 0.007,
    capital: town('Topend', -12.46, 130.85, 22),
    towns: [town('Gorge', -14.5, 132.3, 13), town('Desert', -23.7, 133.88, 0)],
    gccsa: { capital: ['7GDAR', 'Greater Darwin'], rest: ['7RNTE', 'Rest of NT'] },
    postcode: 800,
  },
  {
    code: 'ACT',
    digit: '8',
    name: 'Australian Capital Territory',
    abs: 'ACT',
    pid: 'GAACT',
    share: 0.016,
    capital: town('Lakeview', -35.3, 149.1, 25),
    towns: [],
    gccsa: { capital: ['8ACTE', 'Australian Capital Territory'], rest: null },
    postcode: 2600,
  },
];
