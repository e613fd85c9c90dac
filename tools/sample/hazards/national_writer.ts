import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SAMPLE_CRS } from '../crs.ts';
import { date, number, text } from '../formats/dbf_writer.ts';
import { ShapefileWriter } from '../formats/shapefile_writer.ts';
import type { Frame } from '../geography/frame.ts';
import type { Ring } from '../geography/shape.ts';
import type { Truth } from '../truth.ts';
import { blackSpots, powerLines } from './patterns.ts';
import { BLACK_SPOTS, POWER_LINES } from './registry.ts';

const LINE_FIELDS = [
  number('OBJECTID', 10),
  text('FEATURETYP', 40),
  text('CLASS', 24),
  text('OPERATIONA', 20),
  text('GA_GUID', 38),
  number('CAPACITYKV', 8),
  text('STATE', 20),
  date('REVISED'),
];
/** Reported spots have an Identifier; base stations that were funded stand among them with a number of their own. */
const SPOT_FIELDS = [text('Identifier', 20), text('MBSP_ID', 20), text('LOCATION', 60), text('STATE', 3)];

/** Streams the national files: transmission lines, one in three of them not in operation or under ground, and mobile black spots. */
export class NationalWriter {
  private readonly lines: ShapefileWriter;
  private readonly spots: ShapefileWriter;
  private readonly truth: Truth;
  private idle = 0;
  private reported = 0;
  private funded = 0;

  constructor(folder: string, truth: Truth) {
    this.truth = truth;
    mkdirSync(dirname(join(folder, POWER_LINES)), { recursive: true });
    const { prj } = SAMPLE_CRS.gda94;
    const stem = (path: string): string => join(folder, path.replace(/\.shp$/, ''));
    this.lines = new ShapefileWriter(stem(POWER_LINES), LINE_FIELDS, prj, 'UTF-8', 'line');
    this.spots = new ShapefileWriter(stem(BLACK_SPOTS), SPOT_FIELDS, prj, 'UTF-8', 'point');
  }

  /** What is around one country town. */
  town(frame: Frame, name: string, state: string): void {
    const serial = this.lines.count + 1;
    const works = serial % 3 !== 0;
    if (!works) this.idle++;
    // what is left out is not in operation, or lies under ground
    const status = works || serial % 2 === 0 ? 'Operational' : 'Decommissioned';
    const guid = `{00000000-0000-4000-8000-${String(serial).padStart(12, '0')}}`;
    const kv = [132, 220, 330, 500][serial % 4]!;
    this.lines.write(rings(frame, powerLines()), [
      serial,
      'Transmission Line',
      works || serial % 2 === 1 ? 'Overhead' : 'Underground',
      status,
      guid,
      kv,
      state,
      '20230301',
    ]);
    for (const spot of blackSpots()) {
      const id = `${state}-${String(this.reported + 1).padStart(4, '0')}`;
      this.spots.write(rings(frame, [spot]), [id, null, `near ${name}`, state]);
      this.reported++;
      if (this.reported % 4 === 0) {
        this.spots.write(rings(frame, [spot]), [
          null,
          `MBSP${this.reported}`,
          `base station of ${name}`,
          state,
        ]);
        this.funded++;
      }
    }
  }

  close(): void {
    this.lines.close();
    this.spots.close();
    this.truth.count(POWER_LINES, this.lines.count);
    this.truth.count(BLACK_SPOTS, this.spots.count);
    const { planning_datasets } = this.truth.files;
    planning_datasets.line(`hv_power_line_au,${POWER_LINES},${this.lines.count - this.idle},${this.idle}`);
    planning_datasets.line(`mobile_black_spot_au,${BLACK_SPOTS},${this.reported},${this.funded}`);
  }
}

/** Open lines, or points as lines of one vertex, in GDA94 degrees. */
function rings(frame: Frame, lines: readonly Ring[]) {
  const ringEnds: number[] = [];
  const coords: number[] = [];
  for (const line of lines) {
    for (let i = 0; i < line.length; i += 2)
      coords.push(frame.lon(line[i]!, line[i + 1]!), frame.lat(line[i]!, line[i + 1]!));
    ringEnds.push(coords.length / 2);
  }
  const flat = Float64Array.from(coords);
  SAMPLE_CRS.gda94.fromGda2020(flat);
  return { coords: flat, ringEnds, holes: 0 };
}
