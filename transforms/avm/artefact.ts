import { EtlError } from '../../schema/errors.ts';
import type { AvmModel } from './model.ts';
import { canonicalJson } from './model_id.ts';

/** First bytes of a packed model; the digit is the layout version. */
export const MODEL_MAGIC = 'AVM3';
/** Size of the magic and the header length, bytes. */
const PREFIX_BYTES = 8;
/** Alignment of typed arrays, bytes, so that they can be read in place. */
const ALIGN = 8;

export const ARRAYS = {
  f64: Float64Array,
  i32: Int32Array,
  i16: Int16Array,
  u8: Uint8Array,
} as const;
export type ArrayName = keyof typeof ARRAYS;
type AnyArray = InstanceType<(typeof ARRAYS)[ArrayName]>;

/** Placeholders for values that JSON cannot hold: a typed array at `at` bytes after the header, or a map as its entries. */
interface ArrayMark {
  $array: ArrayName;
  at: number;
  length: number;
}
interface MapMark {
  $map: [string, unknown][];
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGN) * ALIGN;

export function arrayName(value: unknown): ArrayName | null {
  for (const [name, type] of Object.entries(ARRAYS)) if (value instanceof type) return name as ArrayName;
  return null;
}

/** Replaces typed arrays and maps by placeholders and collects the arrays, in the order of sorted keys. */
class Packer {
  readonly parts: { at: number; bytes: Uint8Array }[] = [];
  size = 0;

  pack(value: unknown): unknown {
    const name = arrayName(value);
    if (name !== null) return this.array(name, value as AnyArray);
    if (value instanceof Map) {
      const mark: MapMark = { $map: [...value].map(([key, own]) => [key, this.pack(own)]) };
      return mark;
    }
    if (Array.isArray(value)) return value.map((own) => this.pack(own));
    if (typeof value !== 'object' || value === null) return value;
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.map((key) => [key, this.pack((value as Record<string, unknown>)[key])]));
  }

  private array(name: ArrayName, value: AnyArray): ArrayMark {
    const at = this.size;
    this.parts.push({ at, bytes: new Uint8Array(value.buffer, value.byteOffset, value.byteLength) });
    this.size = aligned(at + value.byteLength);
    return { $array: name, at, length: value.length };
  }
}

/**
 * Packs plain values, maps and typed arrays into bytes after a four-letter magic that names the content. Equal values give equal
 * bytes. Numbers are little-endian, as on every platform that Node runs on.
 */
export function packValue(magic: string, value: object): Uint8Array {
  const packer = new Packer();
  const header = new TextEncoder().encode(canonicalJson(packer.pack(value)));
  const start = aligned(PREFIX_BYTES + header.length);
  const bytes = new Uint8Array(start + packer.size);
  bytes.set(new TextEncoder().encode(magic));
  new DataView(bytes.buffer).setUint32(magic.length, header.length, true);
  bytes.set(header, PREFIX_BYTES);
  for (const part of packer.parts) bytes.set(part.bytes, start + part.at);
  return bytes;
}

const broken = (what: string): EtlError =>
  new EtlError(
    'avm_artefact',
    `The model artefact cannot be read: ${what}. Train the model again, or take a whole copy of the artefact.`,
  );

function unpackArray({ $array, at, length }: ArrayMark, body: Uint8Array): AnyArray {
  const type = ARRAYS[$array];
  const size = length * (type?.BYTES_PER_ELEMENT ?? NaN);
  if (!(at >= 0 && length >= 0 && at + size <= body.length)) throw broken('an array reaches beyond its end');
  // Copy: the array outlives the input bytes and is aligned whatever their offset.
  return new type(body.slice(at, at + size).buffer) as AnyArray;
}

function unpack(value: unknown, body: Uint8Array): unknown {
  if (Array.isArray(value)) return value.map((own) => unpack(own, body));
  if (typeof value !== 'object' || value === null) return value;
  if ('$array' in value) return unpackArray(value as ArrayMark, body);
  if ('$map' in value) return new Map((value as MapMark).$map.map(([key, own]) => [key, unpack(own, body)]));
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, unpack(own, body)]));
}

/** Unpacks the bytes of packValue. @throws EtlError `avm_artefact` */
export function unpackValue(magic: string, packed: Uint8Array): unknown {
  // Copy: typed-array views need an aligned offset, which the caller's bytes may not have.
  const bytes = new Uint8Array(packed);
  if (bytes.length < PREFIX_BYTES) throw broken(`it has ${bytes.length} bytes`);
  const begins = new TextDecoder().decode(bytes.subarray(0, magic.length));
  if (begins !== magic) throw broken(`it does not begin with ${magic}`);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(magic.length, true);
  const start = aligned(PREFIX_BYTES + length);
  if (start > bytes.length) throw broken('its header reaches beyond its end');
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + length)));
  } catch {
    throw broken('its header is not JSON');
  }
  return unpack(header, bytes.subarray(start));
}

/** Packs a model: trees, interval, calibration, market levels, settings. */
export const packModel = (model: AvmModel): Uint8Array => packValue(MODEL_MAGIC, model);

/** Unpacks the bytes of packModel; predictions are exactly as before packing. @throws EtlError `avm_artefact` */
export const unpackModel = (packed: Uint8Array): AvmModel => unpackValue(MODEL_MAGIC, packed) as AvmModel;
