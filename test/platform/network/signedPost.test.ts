import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { postSigned } from '../../../src/platform/network/signedPost.ts';
import { eventually } from '../../support/eventually.ts';
import { SECRET, verify } from '../../credit/wallet.ts';

const MEBIBYTE = 1_048_576;
const request = { key: 'a-key', body: '{"claimId":"a-key"}' };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/wallet`;
}

test('a request is a signed POST with its key, and its reply is status, text and how long to wait', async () => {
  const heard: unknown[] = [];
  const url = await serve((incoming, response) => {
    const parts: Buffer[] = [];
    incoming
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const { method, url: path, headers } = incoming;
        const body = Buffer.concat(parts);
        heard.push([
          method,
          path,
          headers['idempotency-key'],
          headers['content-type'],
          body.toString(),
          verify(SECRET, headers, body),
        ]);
        response.writeHead(503, { 'retry-after': '3' }).end('später');
      });
  });
  expect(await postSigned({ url, secret: SECRET, timeoutMs: 5_000 }, request)).toEqual({
    kind: 'answered',
    status: 503,
    text: 'später',
    afterMs: 3_000,
  });
  expect(heard).toEqual([['POST', '/wallet', 'a-key', 'application/json', request.body, true]]);
});

test('[R10] an answer of a mebibyte is read, one without end is let go of, long before the time is over', async () => {
  let open = 0;
  const url = await serve((incoming, response) => {
    incoming.resume();
    response.once('close', () => {
      open--;
    });
    open++;
    if (incoming.headers['idempotency-key'] === 'fits') return void response.end('x'.repeat(MEBIBYTE));
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', pour);
    pour();
  });
  const address = { url, secret: SECRET, timeoutMs: 30_000 };
  const fits = await postSigned(address, { ...request, key: 'fits' });
  expect(fits.kind === 'answered' && fits.text?.length).toBe(MEBIBYTE);
  const since = performance.now();
  expect(await postSigned(address, request)).toEqual({ kind: 'answered', status: 200 });
  expect(performance.now() - since).toBeLessThan(15_000);
  await eventually(() => expect(open).toBe(0));
});

test('[R10] the time is for the whole exchange: an answer that drips is not waited for', async () => {
  const url = await serve((incoming, response) => {
    incoming.resume();
    const timer = setInterval(() => response.write('x'), 20);
    response.once('close', () => clearInterval(timer));
  });
  const since = performance.now();
  expect(await postSigned({ url, secret: SECRET, timeoutMs: 1_500 }, request)).toEqual({
    kind: 'answered',
    status: 200,
  });
  expect(performance.now() - since).toBeLessThan(5_000);
});
