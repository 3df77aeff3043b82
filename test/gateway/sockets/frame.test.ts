import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocketServer, WebSocket } from 'ws';
import { frameOf } from '../../../src/gateway/sockets/frame.ts';
import { randomSource } from '../../../src/rain/fairness.ts';

test('a frame of any length arrives at a WebSocket as the text that went in, in order with the others', async () => {
  const texts = [
    '',
    'a',
    'x'.repeat(125),
    'x'.repeat(126),
    '红包'.repeat(21),
    '红包雨 🧧',
    'x'.repeat(65_535),
    'x'.repeat(65_536),
    '雨'.repeat(50_000),
  ];
  const server = new WebSocketServer({ port: 0, perMessageDeflate: false });
  server.on('connection', (socket, request) => {
    for (const text of texts) {
      request.socket.write(frameOf(text));
      socket.send(`then ${text.length}`);
    }
    socket.close(1000);
  });
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as { port: number }).port}`, {
    perMessageDeflate: false,
  });
  const received: string[] = [];
  socket.on('message', (data) => received.push(String(data)));
  const [code] = await once(socket, 'close');
  await new Promise((resolve) => server.close(resolve));
  expect(code).toBe(1000);
  expect(received).toEqual(texts.flatMap((text) => [text, `then ${text.length}`]));
});

test('frames keep their order with pings, pongs, other messages and the close of ws, also if the client does not read', async () => {
  const server = new WebSocketServer({ port: 0, perMessageDeflate: false, autoPong: false });
  const random = randomSource('f2a'.repeat(22).slice(0, 64), 'frames');
  const sent: string[] = [];
  let stalled = false;
  server.on('connection', (socket, request) => {
    const filler = 'x'.repeat(12_000);
    for (let i = 0; i < 3_000; i++) {
      const text = `${i} ${filler}`;
      const how = (['frame', 'frame', 'message', 'ping', 'pong'] as const)[random.belowNumber(5)]!;
      sent.push(`${how === 'frame' ? 'message' : how} ${i}`);
      switch (how) {
        case 'frame':
          request.socket.write(frameOf(text));
          break;
        case 'message':
          socket.send(text);
          break;
        case 'ping':
          socket.ping(String(i));
          break;
        case 'pong':
          socket.pong(String(i));
          break;
      }
      stalled ||= request.socket.writableLength > 1_000_000;
    }
    socket.close(4401, 'the last word');
  });
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as { port: number }).port}`, {
    perMessageDeflate: false,
  });
  const received: string[] = [];
  const number = (data: unknown) => String(data).split(' ', 1)[0]!;
  socket.on('message', (data) => received.push(`message ${number(data)}`));
  socket.on('ping', (data) => received.push(`ping ${number(data)}`));
  socket.on('pong', (data) => received.push(`pong ${number(data)}`));
  await once(socket, 'open');
  socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.resume();
  const [code] = await once(socket, 'close');
  await new Promise((resolve) => server.close(resolve));
  expect(stalled).toBe(true);
  expect(code).toBe(4401);
  expect(received).toEqual(sent);
});
