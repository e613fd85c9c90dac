import { type DbfField, number, text } from '../formats/dbf_writer.ts';

/** Levels that the sample delivers, with the year of their boundaries. */
export const LEVELS = ['MB', 'SA1', 'SA2', 'SA3', 'SA4', 'GCCSA', 'STE', 'SAL', 'LGA', 'POA'] as const;
export type Level = (typeof LEVELS)[number];

/** LGA boundaries are revised every year, the others with the edition. */
export const yearOf = (level: Level): number => (level === 'LGA' ? 2022 : 2021);

/** A region above another one. */
export interface Parent {
  readonly code: string;
  readonly name: string;
}

/** The chain above a region of the main structure. */
export interface Chain {
  readonly sa2: Parent;
  readonly sa3: Parent;
  readonly sa4: Parent;
  readonly gccsa: Parent;
  readonly ste: Parent;
}

const named = (short: string, codeLength: number): DbfField[] => [
  text(`${short}_CODE21`, codeLength),
  text(`${short}_NAME21`, 50),
];
const change = [text('CHG_FLAG21', 1), text('CHG_LBL21', 11)];
const sa2 = named('SA2', 9);
const sa3 = named('SA3', 5);
const sa4 = named('SA4', 3);
const gcc = named('GCC', 5);
const ste = named('STE', 1);
const aus = named('AUS', 3);
const tail = [...aus, number('AREASQKM21', 19, 4), text('LOCI_URI21', 254)];

/** Fields of each level's shapefile, in the order of the ABS files. */
export const ASGS_FIELDS: Readonly<Record<Level, readonly DbfField[]>> = {
  MB: [
    text('MB_CODE21', 11),
    text('MB_CAT21', 50),
    ...change,
    text('SA1_CODE21', 11),
    ...sa2,
    ...sa3,
    ...sa4,
    ...gcc,
    ...ste,
    ...tail,
  ],
  SA1: [text('SA1_CODE21', 11), ...change, ...sa2, ...sa3, ...sa4, ...gcc, ...ste, ...tail],
  SA2: [...sa2, ...change, ...sa3, ...sa4, ...gcc, ...ste, ...tail],
  SA3: [...sa3, ...change, ...sa4, ...gcc, ...ste, ...tail],
  SA4: [...sa4, ...change, ...gcc, ...ste, ...tail],
  GCCSA: [...gcc, ...change, ...ste, ...tail],
  STE: [...ste, ...change, ...tail],
  SAL: [...named('SAL', 5), ...ste, ...tail],
  LGA: [
    text('LGA_CODE22', 5),
    text('LGA_NAME22', 50),
    ...ste,
    ...aus,
    number('AREASQKM', 19, 4),
    text('LOCI_URI21', 254),
  ],
  POA: [...named('POA', 4), ...tail],
};

/** Path of a level in the linked-data address of a region. */
const URI: Readonly<Record<Level, string>> = {
  MB: 'MB',
  SA1: 'SA1',
  SA2: 'SA2',
  SA3: 'SA3',
  SA4: 'SA4',
  GCCSA: 'GCCSA',
  STE: 'STE',
  SAL: 'SAL',
  LGA: 'LGA2022',
  POA: 'POA',
};

/** LOCI_URI21 of a region. */
export const uriOf = (level: Level, code: string): string =>
  `http://linked.data.gov.au/dataset/asgsed3/${URI[level]}/${code}`;
