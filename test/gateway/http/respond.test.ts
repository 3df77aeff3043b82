import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { respond } from '../../../src/gateway/http/respond.ts';
import { eventually } from '../../support/eventually.ts';

let writes: string[] = [];
let asked: ServerResponse[] = [];
beforeEach(() => {
  [writes, asked] = [[], []];
});

/** Counts the system writes of a connection: each call of these is one. */
function countWrites(socket: Socket): void {
  for (const name of ['_write', '_writev'] as const) {
    const write = socket[name]!.bind(socket) as (...args: unknown[]) => void;
    Object.assign(socket, {
      [name]: (...args: unknown[]) => {
        writes.push(name);
        write(...args);
      },
    });
  }
}

const server = createServer((_, response) => {
  asked.push(response);
})
  .on('connection', countWrites)
  .listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  server.close();
});

const REQUEST = 'GET / HTTP/1.1\r\nHost: test\r\n\r\n';

/** Sends so many requests at once on one connection, and waits until all have arrived. */
async function ask(requests: number) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (chunk) => {
    heard += String(chunk);
  });
  const send = async (count: number) => {
    const before = asked.length;
    socket.write(REQUEST.repeat(count));
    await eventually(() => {
      expect(asked).toHaveLength(before + count);
    });
  };
  await send(requests);
  return { socket, send, bodies: () => [...heard.matchAll(/\r\n\r\n(\{.*?\})/g)].map((match) => match[1]) };
}

test('head and body of an answer leave in one write, and the connection is kept for the next request', async () => {
  const { send, bodies } = await ask(1);
  respond(asked[0]!, 200, '{"n":"一"}');
  await eventually(() => {
    expect(bodies()).toEqual(['{"n":"一"}']);
  });
  expect(writes).toEqual(['_write']);
  await send(1);
  respond(asked[1]!, 200, '{"n":2}');
  await eventually(() => {
    expect(bodies()).toEqual(['{"n":"一"}', '{"n":2}']);
  });
  expect(writes).toEqual(['_write', '_write']);
});

test('an answer that is ready before the one of an earlier request waits for it, and each is sent once', async () => {
  const { bodies } = await ask(3);
  respond(asked[2]!, 200, '{"n":3}');
  respond(asked[1]!, 503, '{"n":2}', 1_500);
  respond(asked[1]!, 200, '{"n":"again"}');
  expect(bodies()).toEqual([]);
  respond(asked[0]!, 200, '{"n":1}');
  await eventually(() => {
    expect(bodies()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  });
});

test('an answer to somebody who has hung up is dropped', async () => {
  const { socket } = await ask(1);
  const closed = once(asked[0]!, 'close');
  socket.destroy();
  await closed;
  respond(asked[0]!, 200, '{"n":1}');
  const { bodies } = await ask(1);
  respond(asked[1]!, 200, '{"n":2}');
  await eventually(() => {
    expect(bodies()).toEqual(['{"n":2}']);
  });
});
