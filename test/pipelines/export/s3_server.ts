import { rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

interface Store {
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
}
/** It has no types. */
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => Store;

export const BUCKET = 'exports';
/** The key pair that s3rver accepts. */
export const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** An S3 server with the requests that it received, `METHOD path?query`. */
export interface S3Server {
  url: string;
  requests: string[];
  /** Answers 500 to requests that it returns true for. */
  fails: (request: string) => boolean;
  close(): Promise<void>;
}

/** Starts s3rver on a folder. It lacks AbortMultipartUpload, which this server adds. */
export async function startS3(directory: string): Promise<S3Server> {
  const store = new S3rver({
    directory,
    silent: true,
    // It expects the signature of a bucket without the slash that the client signs.
    allowMismatchedSignatures: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  });
  await store.configureBuckets();
  const listener = store.callback();
  const http = createServer((request, response) => {
    const text = `${request.method} ${request.url}`;
    server.requests.push(text);
    const upload = /^DELETE .*[?&]uploadId=([0-9a-f]+)/.exec(text)?.[1];
    if (server.fails(text)) {
      request.resume();
      response.writeHead(500).end();
    } else if (upload !== undefined) {
      rmSync(join(directory, BUCKET, '._S3rver_uploads', upload), { recursive: true, force: true });
      response.writeHead(204).end();
    } else void listener(request, response);
  });
  const server: S3Server = {
    url: '',
    requests: [],
    fails: () => false,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  // Clients of a test keep connections longer than the default of 5 s.
  http.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return server;
}
