const CELLS = /<(?:\w+:)?(row|c)\b([^>]*?)(\/?)>/g;
const REFERENCE = /\sr\s*=\s*(["'])([A-Z]{0,3})(\d{0,7})\1/;

function lettersOf(column: number): string {
  let letters = '';
  for (let remaining = column; remaining > 0; remaining = Math.floor((remaining - 1) / 26))
    letters = String.fromCharCode(65 + ((remaining - 1) % 26)) + letters;
  return letters;
}

export const columnOf = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);

/** Adds the missing references to rows and cells in the XML of a sheet; a row or cell without one follows the one before it. */
export function withReferences(content: Buffer): Buffer {
  const xml = content.toString('latin1');
  let [row, column, isMissing] = [0, 0, false];
  const complete = xml.replace(CELLS, (tag, name: string, attributes: string) => {
    const statedReference = REFERENCE.exec(attributes);
    if (name === 'row') {
      row = statedReference?.[3] ? Number(statedReference[3]) : row + 1;
      column = 0;
    } else column = statedReference?.[2] ? columnOf(statedReference[2]) : column + 1;
    if (/\sr\s*=/.test(attributes)) return tag;
    isMissing = true;
    const reference = name === 'row' ? `${row}` : `${lettersOf(column)}${row}`;
    const at = tag.indexOf(name) + name.length;
    return `${tag.slice(0, at)} r="${reference}"${tag.slice(at)}`;
  });
  return isMissing ? Buffer.from(complete, 'latin1') : content;
}
