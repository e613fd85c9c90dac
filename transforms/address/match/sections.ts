/** Columns of an index: 1, 2, 4 or 8 bytes an element. */
export type Section = Int8Array | Int16Array | Uint16Array | Int32Array | Float64Array;
/** Whole numbers in the narrowest array that holds them. */
export type Ints = Int8Array | Int16Array | Int32Array;
/** The whole of an index as arrays by name: equal addresses give equal arrays, in whatever order they came. */
export type IndexSections = Readonly<Record<string, Section>>;

/** Arrays of a section by the name of their kind. */
export const SECTION_KINDS = {
  int8: Int8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  float64: Float64Array,
} as const;
export type SectionKind = keyof typeof SECTION_KINDS;

/** Kind of a section. */
export function kindOf(section: Section): SectionKind {
  const kinds = Object.entries(SECTION_KINDS) as [SectionKind, new (size: number) => Section][];
  return kinds.find(([, kind]) => section instanceof kind)![0];
}

/** The values in the narrowest array that holds them all. */
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

/** A text as its UTF-16 code units. */
export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}

/** The text of UTF-16 code units. */
export function textOf(units: Uint16Array): string {
  let text = '';
  for (let from = 0; from < units.length; from += AT_ONCE)
    text += String.fromCharCode(...units.subarray(from, from + AT_ONCE));
  return text;
}

/** The sections of one part of an index, under their own names, from those of the whole, where `part.` stands before them. */
export function sectionsOf<N extends string>(
  all: IndexSections,
  part: string,
  names: readonly N[],
): Record<N, Section> {
  const found = {} as Record<N, Section>;
  for (const name of names) {
    const section = all[`${part}.${name}`];
    if (section === undefined) throw new TypeError(`The index has no section ${part}.${name}.`);
    found[name] = section;
  }
  return found;
}

/** Puts the name of a part before the names of its sections. */
export const named = (part: string, sections: IndexSections): IndexSections =>
  Object.fromEntries(Object.entries(sections).map(([name, section]) => [`${part}.${name}`, section]));
