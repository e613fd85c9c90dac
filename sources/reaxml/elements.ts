import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { EtlError } from '../../schema/errors.ts';
import { type BytePlace, openBytes } from '../formats/archive/byte_stream.ts';
import type { Problem } from '../formats/feature.ts';

/** One listing element of a REAXML file. */
export interface ListingElement {
  /** Tag: residential, rental, land … */
  readonly kind: string;
  /** Line on which it starts, from 1. */
  readonly line: number;
  /** Its texts by path (`address/street`) and attributes by path and name (`rent@period`, `@status`); the first stated counts. */
  readonly fields: Readonly<Record<string, string>>;
  /** Date of the file's list, as written; '': none. */
  readonly list_date: string;
  /** Why it is rejected; null: it is not. */
  readonly problem: Problem | null;
}

/** Maximum nesting of a REAXML file; real ones have six levels. */
const MAX_DEPTH = 40;
/** Maximum characters and fields kept of one listing. */
const MAX_CHARS = 200_000;
const MAX_FIELDS = 1000;
/** Maximum bytes without any tag: a longer text does not belong to a listing, and would be held in memory. */
const MAX_SILENT_BYTES = 4 << 20;
/** HTML named characters that feeds use although XML does not define them. */
const ENTITIES = {
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  rsquo: '’',
  lsquo: '‘',
  bull: '•',
  hellip: '…',
  sup2: '²',
};
/** Parser errors that do not make the reader lose its position. */
const HARMLESS = /disallowed character\.$|undefined entity|an XML declaration must be at the start/;

const bad = (file: string, what: string): EtlError =>
  new EtlError('bad_xml', `${file}: ${what}. Deliver the file again.`, { details: { file } });

/** Returns windows-1252 if the XML declaration names it or ISO-8859-1, else UTF-8. */
function encodingOf(start: Uint8Array): 'utf-8' | 'windows-1252' {
  const head = Buffer.from(start.subarray(0, 200)).toString('latin1');
  return /^\s*<\?xml[^>]*encoding=["'](windows-1252|iso-8859-1|latin-?1)["']/i.test(head)
    ? 'windows-1252'
    : 'utf-8';
}

/** Collects the elements below `propertyList` from the parser; external entities and DTDs are never read. */
class ElementCollector {
  readonly parser = new SaxesParser();
  done: ListingElement[] = [];
  /** Number of tags so far. */
  tags = 0;
  #path: string[] = [];
  #fields: Record<string, string> = {};
  #count = 0;
  #chars = 0;
  #line = 0;
  #listDate = '';
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    Object.assign(this.parser.ENTITIES, ENTITIES);
    this.parser.on('error', (error) => {
      if (!HARMLESS.test(error.message)) throw bad(file, `the XML is not well formed at ${error.message}`);
    });
    this.parser.on('opentag', (tag) => this.#open(tag));
    this.parser.on('closetag', (tag) => this.#close(tag.name));
    this.parser.on('text', (text) => this.#text(text));
    this.parser.on('cdata', (text) => this.#text(text));
  }

  #open(tag: SaxesTagPlain): void {
    this.tags++;
    this.#path.push(tag.name);
    if (this.#path.length > MAX_DEPTH) throw bad(this.#file, `elements are nested deeper than ${MAX_DEPTH}`);
    if (this.#path.length === 1) {
      if (tag.name !== 'propertyList')
        throw bad(this.#file, `its root is <${tag.name.slice(0, 60)}>, not <propertyList>`);
      this.#listDate = tag.attributes.date ?? '';
      return;
    }
    if (this.#path.length === 2) {
      this.#fields = {};
      this.#count = 0;
      this.#chars = 0;
      this.#line = this.parser.line;
    }
    const path = this.#path.slice(2).join('/');
    // weekly rent overrides rent by another period
    if (path === 'rent' && /^week/i.test(tag.attributes.period ?? '')) {
      delete this.#fields.rent;
      delete this.#fields['rent@period'];
    }
    for (const [name, value] of Object.entries(tag.attributes)) this.#keep(`${path}@${name}`, value);
  }

  #text(text: string): void {
    if (this.#path.length > 2) this.#keep(this.#path.slice(2).join('/'), text);
  }

  #close(name: string): void {
    this.tags++;
    this.#path.pop();
    if (this.#path.length !== 1) return;
    const problem =
      this.#chars > MAX_CHARS || this.#count > MAX_FIELDS
        ? {
            code: 'feature_too_large',
            message: `the listing has ${this.#count} fields of ${this.#chars} characters`,
          }
        : null;
    const fields = problem === null ? this.#fields : {};
    this.done.push({ kind: name, line: this.#line, fields, list_date: this.#listDate, problem });
  }

  #keep(key: string, value: string): void {
    const text = value.trim();
    if (text === '' || Object.hasOwn(this.#fields, key)) return;
    this.#count++;
    this.#chars += text.length;
    if (this.#chars <= MAX_CHARS && this.#count <= MAX_FIELDS) this.#fields[key] = text;
  }
}

/**
 * Streams the listing elements of a REAXML file, in UTF-8 or in the declared encoding. EtlErrors: `bad_xml` (not well formed, another root,
 * nested too deep, a text without end) and the errors of openBytes.
 */
export async function* listingElements(
  location: BytePlace,
  signal?: AbortSignal,
): AsyncGenerator<ListingElement> {
  const { file } = location;
  const collector = new ElementCollector(file);
  const { parser } = collector;
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let tags = 0;
  let silent = 0;
  for await (const chunk of openBytes(location, signal)) {
    signal?.throwIfAborted();
    decoder ??= new TextDecoder(encodingOf(chunk));
    parser.write(decoder.decode(chunk, { stream: true }));
    silent = collector.tags === tags ? silent + chunk.length : 0;
    tags = collector.tags;
    if (silent > MAX_SILENT_BYTES) throw bad(file, `${silent} bytes before line ${parser.line} hold no tag`);
    yield* collector.done.splice(0);
  }
  if (tags === 0 && decoder === null) throw bad(file, 'the file is empty');
  parser.write(decoder!.decode());
  parser.close();
  yield* collector.done.splice(0);
}
