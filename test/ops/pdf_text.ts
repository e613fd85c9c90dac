import { inflateSync } from 'node:zlib';

/** Texts of a page of a PDF that Chromium printed, in the order of printing. */
export type PdfPage = readonly { text: string; size: number; y: number }[];

const hexOf = (code: number): string => code.toString(16).padStart(4, '0');

/** Letters by the hexadecimal code of their glyph, from a ToUnicode table. */
function lettersOf(table: string): Map<string, string> {
  const letters = new Map<string, string>();
  const letter = (hex: string): string =>
    String.fromCodePoint(...(hex.match(/.{4}/g) ?? []).map((code) => Number.parseInt(code, 16)));
  for (const [, block] of table.matchAll(/beginbfchar(.*?)endbfchar/gs))
    for (const [, glyph, to] of block!.matchAll(/<(\w+)> <(\w+)>/g))
      letters.set(glyph!.toLowerCase(), letter(to!));
  for (const [, block] of table.matchAll(/beginbfrange(.*?)endbfrange/gs))
    for (const [, from, upTo, to] of block!.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
      for (let i = 0; i <= Number.parseInt(upTo!, 16) - Number.parseInt(from!, 16); i++)
        letters.set(hexOf(Number.parseInt(from!, 16) + i), letter(hexOf(Number.parseInt(to!, 16) + i)));
  return letters;
}

/** Reads the texts of each page, and the number of pictures in the file. */
export function readPdf(pdf: Buffer): { pages: PdfPage[]; pictures: number } {
  const file = pdf.toString('latin1');
  const objects = new Map(
    [...file.matchAll(/(\d+) 0 obj(.*?)endobj/gs)].map(([, id, body]) => [id!, body!] as const),
  );
  const contentOf = (id: string): string => {
    const body = objects.get(id)!;
    const start = /stream\r?\n/.exec(body)!;
    const from = start.index + start[0].length;
    const bytes = Buffer.from(body.slice(from, from + Number(/\/Length (\d+)/.exec(body)![1])), 'latin1');
    return (body.includes('/FlateDecode') ? inflateSync(bytes) : bytes).toString('latin1');
  };
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\b/.test(body));
  return {
    pages: pages.map((page) => {
      const fonts = new Map(
        [...(/\/Font <<(.*?)>>/s.exec(page)?.[1] ?? '').matchAll(/\/(\w+) (\d+) 0 R/g)].map(
          ([, name, id]) => {
            const table = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id!)!)?.[1];
            return [
              name!,
              table === undefined ? new Map<string, string>() : lettersOf(contentOf(table)),
            ] as const;
          },
        ),
      );
      const content = contentOf(/\/Contents (\d+) 0 R/.exec(page)![1]!);
      return [...content.matchAll(/BT(.*?)ET/gs)].map(([, block]) => {
        const [, font, size] = /\/(\w+) ([\d.]+) Tf/.exec(block!)!;
        const y = Number(/([-\d.]+) Tm/.exec(block!)![1]);
        const glyphs = [...block!.matchAll(/<(\w+)>/g)].flatMap(
          ([, hex]) => hex!.toLowerCase().match(/.{4}/g) ?? [],
        );
        return {
          text: glyphs
            .map((glyph) => fonts.get(font!)!.get(glyph) ?? '')
            .join('')
            .normalize('NFKC'),
          size: Number(size),
          y,
        };
      });
    }),
    pictures: (file.match(/\/Subtype \/Image/g) ?? []).length,
  };
}
