import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { TcpProxy } from './proxy.ts';

let echo: Server;
let peers: Socket[];
let proxy: TcpProxy;
beforeAll(async () => {
  echo = createServer((socket) => {
    peers.push(socket.on('error', () => {}));
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
});
afterAll(() => {
  echo.close();
});
beforeEach(async () => {
  peers = [];
  proxy = await TcpProxy.open((echo.address() as AddressInfo).port);
  onTestFinished(() => proxy.close());
});

interface Line {
  socket: Socket;
  heard: () => string;
  pieces: string[];
  ended: () => 'open' | 'closed' | 'reset';
}

async function dial(): Promise<Line> {
  const socket = connect(proxy.port, '127.0.0.1');
  const pieces: string[] = [];
  let state: 'open' | 'closed' | 'reset' = 'open';
  socket.on('data', (data) => pieces.push(String(data)));
  socket.on('error', () => {});
  socket.on('close', (broken) => {
    state = broken ? 'reset' : 'closed';
  });
  await once(socket, 'connect');
  return { socket, pieces, heard: () => pieces.join(''), ended: () => state };
}

test('in good weather everything passes both ways, in order, and so does the end', async () => {
  const line = await dial();
  const long = Array.from({ length: 200_000 }, (_, i) => `${i} `).join('');
  line.socket.end(long);
  await eventually(() => expect(line.heard().length).toBe(long.length));
  expect(line.heard()).toBe(long);
  await eventually(() => expect([line.ended(), proxy.connections]).toEqual(['closed', 0]));
});

test('delay holds every byte back, and a drip lets them through one by one', async () => {
  const line = await dial();
  proxy.delay(60);
  const start = performance.now();
  line.socket.write('late');
  await eventually(() => line.heard() === 'late');
  expect(performance.now() - start).toBeGreaterThanOrEqual(118);
  proxy.drip(3);
  line.socket.write('drop');
  await eventually(() => line.heard() === 'latedrop');
  expect(line.pieces.slice(1).every((piece) => piece.length <= 2)).toBe(true);
});

test('a black hole accepts new connections and every byte, but forwards nothing', async () => {
  const [before, idle] = [await dial(), await dial()];
  await eventually(() => peers.length === 2);
  proxy.blackhole();
  const during = await dial();
  for (const line of [before, during]) line.socket.write('lost');
  await sleep(60);
  expect([before.heard(), during.heard(), before.ended(), during.ended()]).toEqual(['', '', 'open', 'open']);
  proxy.pass();
  await eventually(() => expect([before.ended(), during.ended(), idle.ended()]).toEqual(['reset', 'reset', 'open']));
  idle.socket.write('well');
  await eventually(() => idle.heard() === 'well');
});

test('a black hole for replies lets the command through, and for commands the reply', async () => {
  const line = await dial();
  proxy.blackhole('toClient');
  const got: string[] = [];
  await eventually(() => peers.length === 1);
  peers[0]!.on('data', (data) => got.push(String(data)));
  line.socket.write('command');
  await eventually(() => got.join('') === 'command');
  await sleep(30);
  expect(line.heard()).toBe('');
  proxy.pass();
  const other = await dial();
  proxy.blackhole('toServer');
  await eventually(() => peers.length === 2);
  peers[1]!.write('reply');
  other.socket.write('lost');
  await eventually(() => other.heard() === 'reply');
});

test('cut resets open connections and serves new ones; refuse serves none', async () => {
  const first = await dial();
  proxy.cut();
  await eventually(() => first.ended() === 'reset');
  const second = await dial();
  second.socket.write('back');
  await eventually(() => second.heard() === 'back');
  proxy.refuse();
  const third = connect(proxy.port, '127.0.0.1').on('error', () => {});
  await eventually(() => second.ended() === 'reset' && third.destroyed);
  expect(proxy.accepted).toBe(3);
});

test.each(['client', 'server'] as const)(
  'half open: the %s believes the connection lives, the other side knows that it is gone',
  async (believes) => {
    const line = await dial();
    await eventually(() => peers.length === 1);
    proxy.halfOpen(believes);
    const alive = () => ({ client: line.ended() === 'open', server: !peers[0]!.destroyed });
    await eventually(() => expect(alive()).toEqual({ client: believes === 'client', server: believes === 'server' }));
    proxy.pass();
    await sleep(30);
    expect(alive()[believes]).toBe(true);
    (believes === 'client' ? line.socket : peers[0]!).write('anybody there');
    await sleep(30);
    expect(line.heard()).toBe('');
  },
);

test('a server that is not there resets the client', async () => {
  const nowhere = await TcpProxy.open(1);
  onTestFinished(() => nowhere.close());
  const socket = connect(nowhere.port, '127.0.0.1').on('error', () => {});
  await eventually(() => socket.destroyed);
});
