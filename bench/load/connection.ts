import { connect, type Socket } from 'node:net';
import { askWithTicket, DIALECTS, type Dialect, type DialectName, type Heard } from './dialect.ts';
import { clientFrame, CLOSE, frameReader, PING, PONG, TEXT } from './frames.ts';
import { bodyReader, REQUESTS, type RequestName } from './http.ts';

export type Speech = DialectName | RequestName;

/** One user on an own raw connection: a client library would cost the driver more than the servers under load. */
export interface Connection {
  ready: Promise<void>;
  /** Joins a rain and waits for the ticket of later grabs; without tickets it does nothing. */
  enter(rainId: string): Promise<void>;
  /** Sends a grab without waiting; `onHeard` is called once per answer. */
  ask(rainId: string): void;
  put(frame: Buffer): void;
  end(): void;
}

interface Caller {
  /** @param at where in the chunk the answer's text begins */
  onHeard(heard: Exclude<Heard, 'none'>, chunk?: Buffer, at?: number): void;
  onGone(): void;
}

const PONG_FRAME = clientFrame('', PONG);
/** Engine.IO's own ping is a text. */
const ENGINE_PONG = clientFrame('3');
const frames = new Map<string, Buffer>();

/** The frame of a grab, built once and shared by all users. */
function question(speech: DialectName, rainId: string): Buffer {
  const name = `${speech} ${rainId}`;
  let frame = frames.get(name);
  if (!frame) frames.set(name, (frame = DIALECTS[speech].ask(rainId)));
  return frame;
}

/** @param from source address on this machine: one address has only 28,000 ports */
export function call(speech: Speech, port: number, from: string, token: string, caller: Caller): Connection {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
  socket.on('close', () => caller.onGone());
  return speech === 'http' || speech === 'saleHttp'
    ? overHttp(socket, speech, token, caller)
    : overWebSocket(socket, speech, token, caller);
}

function overHttp(socket: Socket, speech: RequestName, token: string, caller: Caller): Connection {
  socket.on(
    'data',
    bodyReader((chunk, start, _end, status) => {
      if (status === 200)
        return caller.onHeard(DIALECTS.plain.hear(chunk, start, chunk.length) === 'won' ? 'won' : 'lost');
      caller.onHeard('busy');
    }),
  );
  const ready = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  // Built once for each rain, as frames are.
  let [of, request]: [string | undefined, Buffer] = [undefined, Buffer.alloc(0)];
  const ask = (rainId: string) => {
    if (of !== rainId) [of, request] = [rainId, REQUESTS[speech](token, rainId)];
    socket.write(request);
  };
  return { ready, enter: () => Promise.resolve(), ask, put: () => {}, end: () => socket.destroy() };
}

function overWebSocket(socket: Socket, speech: DialectName, token: string, caller: Caller): Connection {
  const dialect: Dialect = DIALECTS[speech];
  let opened = false;
  let [mine, entered]: [Buffer | undefined, () => void] = [undefined, () => {}];
  const ready = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${speech}: closed before it was open`)));
    const read = frameReader((opcode, chunk, start, end) => {
      if (opcode === PING) return void socket.write(PONG_FRAME);
      if (opcode === CLOSE) return void socket.destroy();
      if (opcode !== TEXT) return;
      if (speech === 'socketIo' && chunk[start] === 0x32 /* 2 */) return void socket.write(ENGINE_PONG);
      if (opened) {
        const heard = dialect.hear(chunk, start, end);
        if (heard !== 'none') return caller.onHeard(heard, chunk, start);
        if (speech !== 'ticketed') return;
        const ask = askWithTicket(chunk, start, end);
        if (ask) mine = ask;
        return ask && entered();
      }
      const reply = dialect.greet(chunk.toString('utf8', start, end), token);
      if (reply === 'ready') {
        opened = true;
        resolve();
      } else if (reply) socket.write(clientFrame(reply.say));
    });
    let head = '';
    const upgrade = (chunk: Buffer) => {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!head.startsWith('HTTP/1.1 101'))
        return void socket.destroy(new Error(`${speech}: ${head.split('\r\n', 1)[0]}`));
      socket.off('data', upgrade);
      socket.on('data', read);
      read(Buffer.from(head.slice(end + 4), 'latin1'));
    };
    socket.on('data', upgrade);
    socket.write(
      [
        `GET ${dialect.path} HTTP/1.1`,
        'Host: bench',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        ...dialect.head(token),
        '',
        '',
      ].join('\r\n'),
    );
  });
  return {
    ready,
    put: (frame) => {
      socket.write(frame);
    },
    end: () => socket.destroy(),
    ask: (rainId) => {
      socket.write(mine ?? question(speech, rainId));
    },
    enter: (rainId) =>
      speech === 'ticketed'
        ? new Promise((resolve) => {
            entered = resolve;
            socket.write(clientFrame(JSON.stringify({ type: 'join', rainId })));
          })
        : Promise.resolve(),
  };
}
