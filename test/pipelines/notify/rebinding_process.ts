import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isIPv4 } from 'node:net';
import { openHttp } from '../../../pipelines/fetch/http.ts';
import { guardedLookup } from '../../../pipelines/fetch/public_lookup.ts';
import { post } from '../../../pipelines/notify/receiver.ts';
import { sendNotice } from '../../../pipelines/notify/webhook.ts';
import { configSchema } from '../../../schema/config.ts';

// Runs in a network of its own, whose only name server answers as an attacker's does. Prints where each request arrived, as JSON.

const PUBLIC = process.argv[2]!;
const PORT = 8080;

/** Addresses of the names, in the order of the queries; the last one stays. */
const ANSWERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'public.test': [[PUBLIC]],
  'checked.test': [[PUBLIC], ['127.0.0.1']],
  'inside.test': [['127.0.0.1']],
  'both.test': [[PUBLIC, '127.0.0.1']],
  'mapped.test': [['::ffff:127.0.0.1']],
  'nat64.test': [['64:ff9b::7f00:1']],
  'metadata.test': [['169.254.169.254']],
  'metadata6.test': [['fd00:ec2::254']],
  'metadata64.test': [['64:ff9b::a9fe:a9fe']],
};
const queryCounts = new Map<string, number>();

/** Bytes of an IPv6 address with at most one `::`. */
function ipv6Bytes(address: string): Buffer {
  const { hostname } = new URL(`http://[${address}]/`);
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => text.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0');
  const all = hostname.includes('::') ? [...groups(head), ...zeros, ...groups(tail)] : groups(head);
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Answers a DNS query of one question, with a time to live of 0. */
function dnsAnswer(query: Buffer): Buffer {
  const labels: string[] = [];
  let position = 12;
  while (query[position] !== 0) {
    const length = query[position]!;
    labels.push(query.toString('latin1', position + 1, position + 1 + length));
    position += length + 1;
  }
  const type = query.readUInt16BE(position + 1);
  const name = labels.join('.').toLowerCase();
  const count = queryCounts.get(name) ?? 0;
  const sequence = ANSWERS[name] ?? [];
  const isAsked = (address: string): boolean => type === (isIPv4(address) ? 1 : 28);
  const addresses = (sequence[Math.min(count, sequence.length - 1)] ?? []).filter(isAsked);
  if (addresses.length > 0) queryCounts.set(name, count + 1);
  const records = addresses.map((address) => {
    const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
    const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([head, data]);
  });
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(12, position + 5), ...records]);
}

const names = createSocket('udp4');
names.on('message', (query, from) => names.send(dnsAnswer(query), from.port, from.address));
names.bind(53, '127.0.0.1');
await once(names, 'listening');

const arrivals: string[] = [];
const receiver = createServer((request, response) => {
  arrivals.push(String(request.socket.localAddress).replace('::ffff:', ''));
  if (request.url === '/redirect') response.writeHead(302, { location: `http://127.0.0.1:${PORT}/` }).end();
  else response.end('accepted');
}).listen(PORT, '::');
await once(receiver, 'listening');

const message = { id: 'msg_1', body: '{}' };
const secret = `whsec_${Buffer.from('secret secret secret').toString('base64')}`;
/** The senders of the program, by whether private addresses are allowed. */
const SENDERS: Readonly<Record<string, (url: string, mayGoInside: boolean) => Promise<string>>> = {
  watch: (url, mayGoInside) => post({ url, secret }, message, mayGoInside),
  notice: async (url, mayGoInside) => {
    const config = configSchema.parse({
      datasets: {},
      downloads: { private_addresses: mayGoInside },
      ops: { webhook: { url, attempts: 1 } },
    });
    const failure = await sendNotice(config, { version: '1', event: 'test', id: 'test' } as never);
    if (failure !== null) throw new Error(failure);
    return 'accepted';
  },
  download: async (url, mayGoInside) => {
    const http = openHttp({}, guardedLookup(mayGoInside), mayGoInside);
    try {
      const answer = await http.get(new URL(url), { headers: {}, secretHeaders: {}, stall_s: 5 });
      answer.close();
      return String(answer.status);
    } finally {
      await http.close();
    }
  },
};

const results: { sender: string; mayGoInside: boolean; host: string; outcome: string; arrivals: string[] }[] =
  [];
async function send(sender: string, host: string, mayGoInside: boolean, path = '/'): Promise<void> {
  arrivals.length = 0;
  const outcome = await SENDERS[sender]!(`http://${host}:${PORT}${path}`, mayGoInside).catch(
    (error: Error) => `failed: ${error.message}`,
  );
  results.push({ sender, mayGoInside, host: host + path, outcome, arrivals: [...arrivals] });
}
for (const sender of Object.keys(SENDERS)) {
  queryCounts.clear();
  await send(sender, 'public.test', false, '/redirect');
  for (const host of Object.keys(ANSWERS)) await send(sender, host, false);
  // The second lookup of this name has another answer.
  await send(sender, 'checked.test', false);
  for (const host of Object.keys(ANSWERS)) if (host.startsWith('metadata')) await send(sender, host, true);
}
process.stdout.write(JSON.stringify(results));
process.exit();
