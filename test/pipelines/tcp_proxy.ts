import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** A proxy between client and server of a test, which can cut connections and hold bytes back. */
export interface TcpProxy {
  port: number;
  /** Connections through it, oldest first. */
  open(): number;
  /** Cuts the connection of a place, or all of them. */
  cut(place?: number): void;
  close(): Promise<void>;
}

/** Passes bytes on in order, each chunk after a wait of so many milliseconds, in pieces where it waits. */
const slowed = (wait: () => number): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const ms = wait();
      if (ms === 0) return done(null, chunk);
      const middle = chunk.length >> 1;
      this.push(chunk.subarray(0, middle));
      void sleep(ms).then(() => done(null, chunk.subarray(middle)));
    },
  });

/** Passes bytes to a port, which may be another for each connection. `wait`: milliseconds for which the second half of a chunk is held back. */
export async function startProxy(
  host: string,
  port: number | (() => number),
  wait: (() => number) | null = null,
): Promise<TcpProxy> {
  const pairs: [Socket, Socket][] = [];
  const server = createServer((client) => {
    const upstream = connect({ host, port: typeof port === 'number' ? port : port() });
    const pair: [Socket, Socket] = [client, upstream];
    pairs.push(pair);
    for (const [from, to] of [pair, [upstream, client]] as const) {
      if (wait) from.pipe(slowed(wait)).pipe(to);
      else from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        const at = pairs.indexOf(pair);
        if (at >= 0) pairs.splice(at, 1);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cutPair = (pair: [Socket, Socket] | undefined): void => {
    for (const socket of pair ?? []) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    open: () => pairs.length,
    cut: (place) => {
      if (place === undefined) for (const pair of [...pairs]) cutPair(pair);
      else cutPair(pairs[place]);
    },
    close: async () => {
      for (const pair of [...pairs]) cutPair(pair);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
