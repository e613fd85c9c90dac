import { isAscii } from 'node:buffer';
import { EtlError } from '../../../schema/errors.ts';

/** Decodes the bytes `from` to `to`. */
export type TextDecode = (bytes: Buffer, from: number, to: number) => string;

/** Characters of 0x80 to 0x9F in windows-1252; the five undefined bytes stay control characters. */
const CP1252_HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decodeWindows1252(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('latin1', from, to);
  for (let i = from; i < to; i++) {
    if (bytes[i]! >= 0x80 && bytes[i]! < 0xa0) {
      return text.replace(/[\x80-\x9f]/g, (c) => CP1252_HIGH[c.charCodeAt(0) - 0x80]!);
    }
  }
  return text;
}

/** Decodes UTF-8 without a partial last character, which a field of fixed width may cut in two. */
function decodeUtf8(bytes: Buffer, from: number, to: number): string {
  for (let i = from; i < to; i++)
    if (bytes[i]! >= 0x80) return bytes.toString('utf8', from, to).replace(/\ufffd+$/, '');
  return bytes.toString('latin1', from, to);
}

/**
 * Returns the encoding that the text of a .cpg file names (`UTF-8`, `65001`, `1252`, `ANSI 1252`, `ISO-8859-1` …); null or empty text means
 * windows-1252. ISO-8859-1 is read as windows-1252, which extends it. EtlError `unknown_encoding`.
 */
export function encodingOfCpg(text: string | null, file: string): 'utf-8' | 'windows-1252' {
  const label = (text ?? '')
    .replace(/[\s\0\ufeff]+/g, ' ')
    .trim()
    .toLowerCase();
  if (label === '') return 'windows-1252';
  if (/^(utf-?8|65001|cp65001)$/.test(label)) return 'utf-8';
  if (
    /^((ansi|cp|windows|oem)?[ -]?1252|iso[ _-]?8859[_-]?1|8859[_-]?1|latin-?1|us-ascii|ascii)$/.test(label)
  )
    return 'windows-1252';
  throw new EtlError(
    'unknown_encoding',
    `${file}: the .cpg names the encoding ${JSON.stringify(text?.slice(0, 40))}, which is not known. Deliver the file in UTF-8.`,
    { details: { file, encoding: text } },
  );
}

/** Returns the decoder of an encoding that encodingOfCpg returns. */
export function decoderOf(encoding: 'utf-8' | 'windows-1252'): TextDecode {
  return encoding === 'utf-8' ? decodeUtf8 : decodeWindows1252;
}

const NEWLINE = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes bytes as UTF-8; null: they are not UTF-8. */
function asUtf8(bytes: Buffer): string | null {
  // ASCII as latin1 is a plain copy, several times as fast as decoding.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Decodes whole lines, each as UTF-8, or as windows-1252 if its bytes are not UTF-8. */
export function decodeLines(lines: Buffer): string {
  const text = asUtf8(lines);
  if (text !== null) return text;
  const decoded: string[] = [];
  for (let from = 0; from < lines.length; ) {
    const newline = lines.indexOf(NEWLINE, from);
    const end = newline < 0 ? lines.length : newline + 1;
    const line = lines.subarray(from, end);
    decoded.push(asUtf8(line) ?? decodeWindows1252(line, 0, line.length));
    from = end;
  }
  return decoded.join('');
}
