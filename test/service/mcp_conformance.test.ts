import { execFile } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../service/server.ts';
import { ROOT } from '../source_tree.ts';
import { type Scene, setScene } from './scene.ts';

/**
 * The scenarios of the official suite that a server with tools of its own can be held against. The others call the fixtures of a test
 * server by name (test_simple_text and the like), or are about resources, prompts, sampling, logging, elicitation and sessions, which there are not.
 */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

describe('the conformance suite of the Model Context Protocol', () => {
  let scene: Scene;
  let service: Service;
  let proxy: Server;
  let url: string;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start();
    // The suite sends no key: what it sends goes on unchanged, with the key.
    const { hostname, port } = new URL(service.base_url);
    proxy = createServer((asked, reply) => {
      const { method, url: path, headers } = asked;
      const onward = request({
        hostname,
        port,
        method,
        path,
        headers: { ...headers, authorization: `Bearer ${service.sandbox_key}` },
      });
      onward.on('response', (response) => {
        reply.writeHead(response.statusCode!, response.headers);
        response.pipe(reply);
      });
      onward.on('error', () => reply.destroy());
      asked.pipe(onward);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => proxy.once('listening', resolve));
    url = `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
  });
  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await scene?.close();
  });

  it.each(SCENARIOS)('%s', async (scenario) => {
    const suite = `${ROOT}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [suite, 'server', '--url', url, '--scenario', scenario],
      { cwd: scene.dir },
    ).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    });
    expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
  });
});
