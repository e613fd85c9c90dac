import { BinaryFile } from '../formats/binary_file.ts';
import type { PlaceSink, SamplePlace } from './sample_place.ts';

const DECIMALS = 7;
const positions = (ring: Float64Array): string => {
  const list: string[] = [];
  for (let i = 0; i < ring.length; i += 2)
    list.push(`[${ring[i]!.toFixed(DECIMALS)},${ring[i + 1]!.toFixed(DECIMALS)}]`);
  return list.join(',');
};

/** Streams places as `osmium export -u type_id` writes them: points have ids such as n12, areas a24 (twice the way). */
export class OsmGeojsonWriter implements PlaceSink {
  readonly file: string;
  readonly #out: BinaryFile;
  #count = 0;

  constructor(path: string, file: string) {
    this.file = file;
    this.#out = new BinaryFile(path);
    this.#text('{"type":"FeatureCollection","features":[');
  }

  write({ serial, tags, at }: SamplePlace, rings: readonly Float64Array[]): string {
    const isPoint = 'point' in at;
    const geometry = isPoint
      ? `{"type":"Point","coordinates":${positions(rings[0]!)}}`
      : `{"type":"MultiPolygon","coordinates":[[${rings.map((ring) => `[${positions(ring)}]`).join(',')}]]}`;
    const id = isPoint ? `n${serial}` : `a${serial * 2}`;
    this.#text(
      `${this.#count++ === 0 ? '\n' : ',\n'}{"type":"Feature","id":"${id}","geometry":${geometry},"properties":${JSON.stringify(tags)}}`,
    );
    return `osm:${isPoint ? 'node' : 'way'}/${serial}`;
  }

  close(): void {
    this.#text('\n]}\n');
    this.#out.close();
  }

  #text(text: string): void {
    this.#out.append(Buffer.from(text));
  }
}
