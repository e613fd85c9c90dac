import { fork } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { EtlError } from '../../../schema/errors.ts';
import type { BytePlace } from '../archive/byte_stream.ts';
import { archiveBomb, listZip, missingFile, unpack, ZIP_LIMITS } from '../archive/zip.ts';
import type { Family, FeatureField, FeaturePlace, FormatFile } from '../feature.ts';
import { openFlatGeobuf } from './flatgeobuf.ts';

/** Limits for opening a geodatabase; beyond them it counts as damaged. A busy machine converts at least 256 KiB of it a second. */
export interface GeodatabaseLimits {
  readonly seconds: number;
  readonly bytes_per_s: number;
  /** Maximum ratio of written to read bytes, checked beyond `floor_bytes`: many rows of a table can be one run of bytes. */
  readonly ratio: number;
  readonly floor_bytes: number;
}
export const GEODATABASE_LIMITS: GeodatabaseLimits = {
  seconds: 120,
  bytes_per_s: 1 << 18,
  ratio: ZIP_LIMITS.ratio,
  floor_bytes: ZIP_LIMITS.ratioFloorBytes,
};

const HEAP_MB = 512;
const LOOKED_AT_MS = 250;

const bad = (file: string, problem: string): EtlError =>
  new EtlError(
    'bad_geodatabase',
    `${file}: the file geodatabase cannot be read (${problem.replace(/\.+$/, '')}). Fetch it again; where it opens in QGIS, convert it to FlatGeobuf.`,
    { details: { file } },
  );

/** Returns whether the optional package that opens geodatabases is installed. */
export function hasGdal(name = 'gdal3.js'): boolean {
  try {
    createRequire(import.meta.url).resolve(`${name}/node`);
    return true;
  } catch {
    return false;
  }
}

/** A geodatabase as a folder of files: its own folder, or the unpacked content of a zip until it is removed. */
interface Folder {
  readonly path: string;
  readonly files: readonly string[];
  readonly bytes: number;
  /** Changes if the geodatabase is replaced or modified. */
  readonly version: string;
  remove(): Promise<void>;
}

async function folderAt({ path, member, file }: BytePlace): Promise<Folder> {
  let folder = { folder: path, remove: async () => {} };
  if (member !== null) {
    const inside = (name: string) =>
      name.startsWith(`${member}/`) && !name.slice(member.length + 1).includes('/');
    const members = await listZip(path, inside, { file: basename(path) });
    folder = await unpack(Object.fromEntries(members.map((each) => [basename(each.name), each])));
  }
  const entries = await readdir(folder.folder).catch((cause: unknown) => {
    throw missingFile(folder.folder, cause);
  });
  const names = entries.filter((name) => !/\.lock$/i.test(name)).sort();
  const files = names.map((name) => join(folder.folder, name));
  let bytes = 0;
  const stamps: (string | number)[] = [path, member ?? ''];
  for (const each of files) {
    const { size, mtimeMs } = await stat(each);
    bytes += size;
    if (member === null) stamps.push(basename(each), size, mtimeMs);
  }
  if (member !== null) stamps.push((await stat(path)).mtimeMs);
  if (names.includes('a00000001.gdbtable'))
    return {
      path: folder.folder,
      files: member === null ? files : [],
      bytes,
      version: stamps.join('|'),
      remove: folder.remove,
    };
  await folder.remove();
  throw bad(file, 'it has no a00000001.gdbtable');
}

/** Runs a request in a separate process; kills it on timeout, on too much output, and on abort. */
async function sendRequest(
  folder: Folder,
  file: string,
  request: { select: string | null; out: string },
  limits: GeodatabaseLimits,
  signal?: AbortSignal,
): Promise<unknown> {
  signal?.throwIfAborted();
  const child = fork(fileURLToPath(new URL('./geodatabase_process.mjs', import.meta.url)), [], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const seconds = limits.seconds + (request.select === null ? 0 : folder.bytes / limits.bytes_per_s);
  const ends = performance.now() + seconds * 1000;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', stop);
  try {
    return await new Promise((resolve, reject) => {
      const look = async () => {
        if (performance.now() > ends) reject(bad(file, `it is not read within ${Math.round(seconds)} s`));
        const { size } = await stat(join(request.out, 'layer.fgb')).catch(() => ({ size: 0 }));
        if (size > limits.floor_bytes && size > folder.bytes * limits.ratio)
          reject(archiveBomb(file, `${folder.bytes} bytes grow to more than ${limits.ratio} times as many`));
      };
      // GDAL exits right after its reply, perhaps before the reply is handled.
      let hasReplied = false;
      child.on('message', async (reply: { failure?: string }) => {
        hasReplied = true;
        await look();
        if (reply.failure === undefined) resolve(reply);
        else reject(bad(file, reply.failure));
      });
      child.on('error', reject);
      child.on('exit', (code, killed) => {
        if (!hasReplied || signal?.aborted)
          reject(signal?.reason ?? bad(file, `GDAL ended (${killed ?? code})`));
      });
      timer = setInterval(look, LOOKED_AT_MS);
      child.send({ folder: folder.path, ...request });
    });
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

const crsId = z.object({ authority: z.string(), code: z.union([z.number(), z.string()]) }).optional();
/** The part of ogrinfo's output that is used. */
const infoSchema = z.object({
  layers: z
    .array(
      z.object({
        name: z.string(),
        featureCount: z.number().optional(),
        fidColumnName: z.string().optional(),
        fields: z.array(z.object({ name: z.string(), type: z.string() })),
        geometryFields: z
          .array(
            z.object({
              type: z.string(),
              coordinateSystem: z
                .object({
                  wkt: z.string().optional(),
                  projjson: z
                    .object({ id: crsId, components: z.array(z.object({ id: crsId })).optional() })
                    .optional(),
                })
                .nullish(),
            }),
          )
          .default([]),
      }),
    )
    .max(10_000),
});
type GeodatabaseLayer = z.output<typeof infoSchema>['layers'][number];

/** Maximum geodatabases whose layers are cached, so that GDAL runs once for all layers of one geodatabase. */
const MAX_DESCRIBED = 16;
const described = new Map<string, Promise<GeodatabaseLayer[]>>();

/** Lists the layers with shapes, in code-unit order of their names. */
function describe(folder: Folder, file: string, signal?: AbortSignal): Promise<GeodatabaseLayer[]> {
  const { version } = folder;
  const cached = described.get(version);
  if (cached !== undefined) return cached;
  const layers = askLayers(folder, file, signal);
  // Failures are not cached: another caller may have a longer timeout.
  layers.catch(() => described.delete(version));
  if (described.size === MAX_DESCRIBED) described.delete(described.keys().next().value!);
  described.set(version, layers);
  return layers;
}

async function askLayers(folder: Folder, file: string, signal?: AbortSignal): Promise<GeodatabaseLayer[]> {
  const out = await mkdtemp(join(tmpdir(), `release-${process.pid}-`));
  try {
    const reply = await sendRequest(folder, file, { select: null, out }, GEODATABASE_LIMITS, signal);
    const { layers } = infoSchema.parse((reply as { info: unknown }).info);
    return layers
      .filter(({ geometryFields }) => geometryFields.length > 0)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** Lists the names of the layers with shapes. EtlErrors: `bad_geodatabase` and the errors of the zip. */
export async function listGeodatabaseLayers(location: BytePlace): Promise<string[]> {
  const folder = await folderAt(location);
  try {
    const names = (await describe(folder, location.file)).map(({ name }) => name);
    if (names.length === 0) throw bad(location.file, 'it has no layer with shapes');
    return names;
  } finally {
    await folder.remove();
  }
}

const FAMILY_WORDS: readonly (readonly [RegExp, Family])[] = [
  [/polygon|surface/i, 'polygon'],
  [/line|curve/i, 'line'],
  [/point/i, 'point'],
];

function familiesOf({ geometryFields }: GeodatabaseLayer): Set<Family> {
  const type = geometryFields[0]!.type;
  const family = FAMILY_WORDS.find(([pattern]) => pattern.test(type))?.[1];
  return new Set(family === undefined ? [] : [family]);
}

function crsOf({ geometryFields }: GeodatabaseLayer): string | null {
  const crs = geometryFields[0]!.coordinateSystem;
  const id = crs?.projjson?.id ?? crs?.projjson?.components?.[0]?.id;
  return id === undefined ? (crs?.wkt ?? null) : `${id.authority}:${id.code}`;
}

/** Returns the columns of a layer, including the row number, which GDAL reports separately. */
const fieldsOf = ({ fields, fidColumnName }: GeodatabaseLayer): FeatureField[] => [
  ...(fidColumnName ? [{ name: fidColumnName, numeric: true, key: fidColumnName }] : []),
  ...fields.map(({ name, type }) => ({ name, numeric: /^(Integer|Real)/.test(type), key: name })),
];

const quoted = (name: string): string => `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

function selectOf({ name, fidColumnName }: GeodatabaseLayer): string {
  const number = fidColumnName ? `FID AS ${quoted(fidColumnName)}, ` : '';
  return `SELECT ${number}* FROM ${quoted(name)}`;
}

/**
 * Opens one layer of a file geodatabase (`place.layer`), a folder or in a zip. When its features are read, GDAL writes it as FlatGeobuf to
 * the temporary folder. Features come in order of their row numbers; curves become lines, height and measure are not read. Problems of a
 * feature as in openFlatGeobuf. EtlErrors: `bad_geodatabase`, `archive_bomb` and the errors of the zip.
 */
export async function openGeodatabase(
  location: FeaturePlace,
  signal?: AbortSignal,
  limits = GEODATABASE_LIMITS,
): Promise<FormatFile> {
  const folder = await folderAt(location);
  try {
    const layer = (await describe(folder, location.file, signal)).find(({ name }) => name === location.layer);
    if (layer === undefined) throw bad(location.file, `it has no layer ${location.layer}`);
    return {
      fields: fieldsOf(layer),
      families: familiesOf(layer),
      crs: crsOf(layer),
      changed: null,
      siblings: folder.files,
      notes: () => [],
      close: folder.remove,
      async *features(toGda2020, wanted) {
        const out = await mkdtemp(join(tmpdir(), `release-${process.pid}-`));
        try {
          await sendRequest(folder, location.file, { select: selectOf(layer), out }, limits, signal);
          const written = {
            ...location,
            format: 'flatgeobuf' as const,
            path: join(out, 'layer.fgb'),
            member: null,
          };
          let count = 0;
          const opened = await openFlatGeobuf(written, signal).catch((cause: Error) => {
            throw bad(location.file, `GDAL makes nothing of it: ${cause.message}`);
          });
          for await (const batch of opened.features(toGda2020, wanted)) {
            count += batch.count;
            yield batch;
          }
          if (layer.featureCount !== undefined && layer.featureCount !== count)
            throw bad(location.file, `${count} of its ${layer.featureCount} rows can be read`);
        } finally {
          await rm(out, { recursive: true, force: true });
          await folder.remove();
        }
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
