import { createHmac, timingSafeEqual } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import send from '@fastify/send';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CallHandler } from '../answers/call_handler.ts';
import { billHeaders } from '../http/headers.ts';
import { invalid, notFound, Refusal, rangeNotSatisfiable } from '../http/refusal.ts';

/** Lifetime of a link to a file. */
const LINK_S = 7 * 86_400;
/** Name of an export and of its folder. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MANIFEST = 'manifest.json';
const SIGNATURE = 'manifest.json.sig';
/** Media types by file extension; other files are bytes. */
const TYPES: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  pmtiles: 'application/vnd.pmtiles',
  json: 'application/json',
};

/** The part of a manifest from `pipeline export` that is used. */
const manifestSchema = z.object({
  publication: z.int(),
  published_at: z.string(),
  since: z.int().nullable(),
  format: z.string(),
  files: z.array(
    z.object({
      table: z.string(),
      file: z.string().regex(NAME),
      rows: z.int(),
      bytes: z.int(),
      sha256: z.string(),
    }),
  ),
  datasets: z.array(
    z.looseObject({
      dataset: z.string(),
      licence: z.string().nullable(),
      attribution: z.string().nullable(),
    }),
  ),
  signed_by: z.string().nullable(),
});
interface Export {
  name: string;
  manifest: z.infer<typeof manifestSchema>;
}

/** Lists the exports in a folder: subfolders with a manifest, by name. */
async function exportsIn(folder: string | null): Promise<Export[]> {
  const names =
    folder === null ? [] : (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name)).sort();
  const entries = await Promise.all(names.map((name) => exportOf(folder!, name)));
  return entries.filter((each) => each !== null);
}

async function exportOf(folder: string, name: string): Promise<Export | null> {
  const text = await readFile(join(folder, name, MANIFEST), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return { name, manifest: manifestSchema.parse(JSON.parse(text)) };
  } catch {
    return null;
  }
}

/** Creates and checks links to files. Only this installation can sign them, and they expire. */
class Links {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  #signed(account: string, path: string, expires: string): string {
    return createHmac('sha256', this.#secret)
      .update(`file\n${account}\n${path}\n${expires}`)
      .digest('base64url');
  }

  /** Creates a link for an account. The link contains the account's number, so that a leaked link shows its owner. */
  to(account: number, path: string, now: number): string {
    const expires = String(Math.floor(now / 1000) + LINK_S);
    return `${path}?account=${account}&expires=${expires}&signature=${this.#signed(String(account), path, expires)}`;
  }

  /** @throws Refusal 403 */
  check(path: string, { account, expires, signature }: Readonly<Record<string, unknown>>, now: number): void {
    const signatureBytes = Buffer.from(String(signature));
    const right = Buffer.from(this.#signed(String(account), path, String(expires)));
    if (signatureBytes.length !== right.length || !timingSafeEqual(signatureBytes, right))
      throw new Refusal(403, { type: 'bad_link', msg: 'The link is not one of this service.' });
    if (Number(expires) < now / 1000)
      throw new Refusal(403, {
        type: 'expired_link',
        msg: 'The link has expired. Ask for the export again.',
      });
  }
}

const filePath = (name: string, file: string): string => `/v1/files/${name}/${file}`;
const typeOf = (file: string): string =>
  TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';

/** Builds the STAC catalogue of the exports. */
const catalogue = (at: string, all: readonly Export[]): object => ({
  type: 'Catalog',
  stac_version: '1.1.0',
  id: 'exports',
  description: 'Exports of publications. An item has the files with checksums; its links end after a week.',
  links: [
    { rel: 'self', href: `${at}/v1/exports`, type: 'application/json' },
    ...all.map(({ name, manifest: { publication, published_at, since, format, files } }) => ({
      rel: 'item',
      href: `${at}/v1/exports/${name}`,
      type: 'application/geo+json',
      title: name,
      publication,
      published_at,
      since,
      format,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    })),
  ],
});

/** Builds the STAC item of an export, with links for an account. */
function item(at: string, { name, manifest }: Export, link: (path: string) => string): object {
  const asset = (file: string, extra: object): [string, object] => [
    file,
    { href: at + link(filePath(name, file)), type: typeOf(file), ...extra },
  ];
  return {
    type: 'Feature',
    stac_version: '1.1.0',
    stac_extensions: ['https://stac-extensions.github.io/file/v2.1.0/schema.json'],
    id: name,
    geometry: null,
    properties: {
      datetime: manifest.published_at,
      publication: manifest.publication,
      since: manifest.since,
      format: manifest.format,
      'proj:code': 'EPSG:7844',
      signed_by: manifest.signed_by,
      datasets: manifest.datasets,
    },
    assets: Object.fromEntries([
      ...manifest.files.map(({ table, file, rows, bytes, sha256 }) =>
        asset(file, {
          title: table,
          roles: ['data'],
          rows,
          'file:size': bytes,
          // A multihash: prefix 1220 means SHA-256.
          'file:checksum': `1220${sha256}`,
        }),
      ),
      asset(MANIFEST, { roles: ['metadata'] }),
      ...(manifest.signed_by !== null ? [asset(SIGNATURE, { roles: ['metadata'] })] : []),
    ]),
    links: [
      { rel: 'self', href: `${at}/v1/exports/${name}`, type: 'application/geo+json' },
      { rel: 'parent', href: `${at}/v1/exports`, type: 'application/json' },
    ],
  };
}

/** Path of an export in the rate card. An account pays it once. */
export const EXPORT_PATH = '/v1/exports/{export}';

/** Serves the exports of a folder: the catalogue free of charge, an export at its price, and its files by links, with ranges. */
export function addExports(
  app: FastifyInstance,
  calls: CallHandler,
  { folder, secret }: { folder: string | null; secret: string },
): void {
  const links = new Links(secret);
  app.get('/v1/exports', { config: { path: '/v1/exports' } }, async (request, reply) => {
    const call = await calls.enter(request.headers.authorization);
    request.noted.keyId = call.caller.key_id;
    reply.headers(billHeaders({ cost: 0, version: call.card.version, wallet: null }));
    return reply.send(catalogue(app.baseUrl, await exportsIn(folder)));
  });
  app.get('/v1/exports/:export', { config: { path: EXPORT_PATH } }, async (request, reply) => {
    const buyer = await calls.enter(request.headers.authorization, { isFresh: true });
    request.noted.keyId = buyer.caller.key_id;
    const { export: name } = request.params as { export: string };
    if (!NAME.test(name))
      throw invalid([
        { type: 'value_error', loc: ['path', 'export'], msg: 'is no name of an export', input: name },
      ]);
    const entry = folder === null ? null : await exportOf(folder, name);
    if (entry === null) throw notFound();
    const { bill, charged } = await calls.buy(buyer, EXPORT_PATH, name);
    request.noted.cost = bill.cost;
    request.noted.unsent.push(...charged);
    const { account_id } = buyer.caller;
    const body = item(app.baseUrl, entry, (path) => links.to(account_id, path, Date.now()));
    return reply
      .headers({ ...billHeaders(bill), 'cache-control': 'private, no-store' })
      .type('application/geo+json')
      .send(body);
  });
  app.get(
    '/v1/files/:export/:file',
    { compress: false, config: { path: '/v1/files/{export}/{file}', isFile: true } },
    async (request, reply) => {
      const { export: name, file } = request.params as { export: string; file: string };
      const path = filePath(name, file);
      links.check(path, request.query as Record<string, unknown>, Date.now());
      if (folder === null || !NAME.test(name) || basename(file) !== file) throw notFound();
      const { statusCode, headers, stream } = await send(request.raw, `/${name}/${file}`, {
        root: folder,
        dotfiles: 'deny',
        index: false,
        cacheControl: false,
        contentType: false,
      });
      if (statusCode === 404 || statusCode === 403) throw notFound();
      if (statusCode === 416) throw rangeNotSatisfiable(headers['Content-Range']);
      return reply
        .code(statusCode)
        .headers({ ...headers, 'cache-control': 'private, max-age=3600' })
        .type(typeOf(file))
        .send(stream);
    },
  );
}
