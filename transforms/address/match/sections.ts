/** Column of an index: 1, 2, 4 or 8 bytes per element. */
export type Section = Int8Array | Int16Array | Uint16Array | Int32Array | Float64Array;
/** Integers in the narrowest array that holds them. */
export type Ints = Int8Array | Int16Array | Int32Array;
/** A whole index as arrays by name: equal addresses in any order give equal arrays. */
export type IndexSections = Readonly<Record<string, Section>>;

/** Array types of a section by the name of their kind. */
export const SECTION_KINDS = {
  int8: Int8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  float64: Float64Array,
} as const;
export type SectionKind = keyof typeof SECTION_KINDS;

export function kindOf(section: Section): SectionKind {
  const kinds = Object.entries(SECTION_KINDS) as [SectionKind, new (size: number) => Section][];
  return kinds.find(([, kind]) => section instanceof kind)![0];
}

/** Copies values to the narrowest array that holds them all. */
export function narrow(values: Int32Array): Ints {
  let [least, greatest] = [0, 0];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  if (least >= -128 && greatest <= 127) return Int8Array.from(values);
  return least >= -32768 && greatest <= 32767 ? Int16Array.from(values) : values;
}

const AT_ONCE = 8192;

/** Returns the UTF-16 code units of a text. */
export function codeUnitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}

/** Returns the text of UTF-16 code units. */
export function textOfUnits(units: Uint16Array): string {
  let text = '';
  for (let from = 0; from < units.length; from += AT_ONCE)
    text += String.fromCharCode(...units.subarray(from, from + AT_ONCE));
  return text;
}

/** Returns the sections of one part of an index, without their prefix `part.`. */
export function typedSections<N extends string>(
  all: IndexSections,
  part: string,
  names: readonly N[],
): Record<N, Section> {
  const sections = {} as Record<N, Section>;
  for (const name of names) {
    const section = all[`${part}.${name}`];
    if (section === undefined) throw new TypeError(`The index has no section ${part}.${name}.`);
    sections[name] = section;
  }
  return sections;
}

/** Adds a part's name as prefix to the names of its sections. */
export const prefixed = (part: string, sections: IndexSections): IndexSections =>
  Object.fromEntries(Object.entries(sections).map(([name, section]) => [`${part}.${name}`, section]));
