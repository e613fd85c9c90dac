import { connect, createServer, type Socket } from 'node:net';

/** A TCP link to a server that can fall silent, as it does when the server freezes or the machine between is gone without a word. */
export interface FrozenLink {
  /** The server's URL by way of the link. */
  url: string;
  /** Nothing passes any more; connections are still taken, as a frozen server's kernel takes them. */
  freeze(): void;
  /** New connections pass again; those from before stay silent for ever. */
  renew(): void;
  close(): Promise<void>;
}

/** Opens a link to the PostgreSQL server of a URL. */
export async function openLink(url: string): Promise<FrozenLink> {
  const to = new URL(url);
  const open = new Set<Socket>();
  const ends = new Set<Socket>();
  let frozen = false;
  const server = createServer((from) => {
    open.add(from);
    from.on('error', () => undefined).on('close', () => open.delete(from));
    if (frozen) return;
    const there = connect(Number(to.port), to.hostname);
    ends.add(there);
    there.on('error', () => from.destroy()).on('close', () => ends.delete(there));
    from.on('close', () => there.destroy());
    from.pipe(there).pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const by = new URL(url);
  by.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    url: by.href,
    freeze() {
      frozen = true;
      for (const socket of [...open, ...ends]) socket.unpipe().pause();
    },
    renew() {
      frozen = false;
    },
    async close() {
      for (const socket of [...open, ...ends]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
