import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocketServer, WebSocket } from 'ws';
import { frameOf } from '../../src/gateway/frame.ts';

test('a frame of any length arrives at a WebSocket as the text that went in, and in its place among the others', async () => {
  const texts = ['', 'a', 'x'.repeat(125), 'x'.repeat(126), '红包'.repeat(21), '红包雨 🧧', 'x'.repeat(65_535), 'x'.repeat(65_536), '雨'.repeat(50_000)];
  const server = new WebSocketServer({ port: 0, perMessageDeflate: false });
  server.on('connection', (socket, request) => {
    for (const text of texts) {
      request.socket.write(frameOf(text));
      socket.send(`then ${text.length}`);
    }
    socket.close(1000);
  });
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as { port: number }).port}`, { perMessageDeflate: false });
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  const [code] = await once(socket, 'close');
  await new Promise((resolve) => server.close(resolve));
  expect(code).toBe(1000);
  expect(heard).toEqual(texts.flatMap((text) => [text, `then ${text.length}`]));
});
