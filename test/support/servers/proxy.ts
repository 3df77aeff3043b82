import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Which way bytes are lost: a command that never arrives, a reply that never does, or both. */
type Direction = 'toServer' | 'toClient' | 'both';

/** Whether a connection is meant, by the address that it comes from. */
type From = (address: string) => boolean;

/**
 * The line's effect on bytes; every byte is judged when its turn comes, so a change also meets waiting ones.
 */
type Weather =
  | { kind: 'pass' }
  /** Every byte arrives `ms` later. */
  | { kind: 'delay'; ms: number }
  /** One byte at a time, `everyMs` apart. */
  | { kind: 'drip'; everyMs: number }
  /** Bytes are accepted and never arrive; no connection breaks, new ones are accepted, too. */
  | { kind: 'blackhole'; direction: Direction; from: From }
  /** New connections are reset at once. */
  | { kind: 'refuse' };

/** Bytes one direction of one connection holds at most, before its sender is made to wait. */
const HELD_BYTES_MAX = 1_048_576;

/**
 * A TCP line between a client and a server on 127.0.0.1 that can be made bad at any moment, in the ways in which real
 * lines are. It knows nothing of what is said over it.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #target: () => number | string;
  weather: Weather = { kind: 'pass' };
  /** Connections ever accepted: how often somebody came back. */
  accepted = 0;

  private constructor(target: () => number | string) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
  }

  /**
   * @param target port of the server on 127.0.0.1, or its Unix socket; a function is asked for each connection, so that
   * a server may move
   */
  static async open(target: number | string | (() => number), port = 0): Promise<TcpProxy> {
    const proxy = new TcpProxy(typeof target === 'function' ? target : () => target);
    proxy.#server.listen(port, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Live connections. */
  get connections(): number {
    return this.#links.size;
  }

  /** Something was swallowed on a live connection: what a test wants lost is lost, whenever it passes again. */
  get hasLost(): boolean {
    return [...this.#links].some((link) => link.broken);
  }

  /** All is well again. A connection that lost bytes cannot go on, as no real one could: it is reset. */
  pass(): void {
    this.weather = { kind: 'pass' };
    for (const link of this.#links) if (link.broken) link.reset();
  }

  delay(ms: number): void {
    this.weather = { kind: 'delay', ms };
  }

  drip(everyMs = 0): void {
    this.weather = { kind: 'drip', everyMs };
  }

  /**
   * Swallows everything, as a dead switch does: nobody is told. Swallowed bytes are gone, also when `pass` follows.
   * @param from only of the connections from some addresses
   */
  blackhole(direction: Direction = 'both', from: From = () => true): void {
    this.weather = { kind: 'blackhole', direction, from };
  }

  /** Resets every live connection (RST); the next one is served by the weather as it is. */
  cut(): void {
    for (const link of this.#links) link.reset();
  }

  /** Cuts, and lets nobody in until the weather changes. */
  refuse(): void {
    this.weather = { kind: 'refuse' };
    this.cut();
  }

  /**
   * Live connections end for one side only; the other, which `believes`, hears nothing of it, and nothing ever again.
   */
  halfOpen(believes: 'client' | 'server' = 'client'): void {
    for (const link of this.#links) link.halve(believes);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cut();
    await closed;
  }

  #accept(client: Socket): void {
    this.accepted++;
    client.on('error', () => {});
    if (this.weather.kind === 'refuse') return void client.resetAndDestroy();
    const target = this.#target();
    const server = connect({
      ...(typeof target === 'string' ? { path: target } : { port: target, host: '127.0.0.1' }),
      allowHalfOpen: true,
      noDelay: true,
    });
    const link = new Link(client, server, () => this.weather);
    this.#links.add(link);
    void link.ended.then(() => this.#links.delete(link));
  }
}

/** One connection: two sockets and what flows each way. */
class Link {
  readonly ended: Promise<void>;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #weather: () => Weather;
  readonly #from: string;
  /** One side is gone for good and the other has not been told. */
  #halved = false;
  /** Something was said on this connection, be it its end, that never arrived. */
  #lost = false;

  constructor(client: Socket, server: Socket, weather: () => Weather) {
    this.#client = client;
    this.#server = server;
    this.#weather = weather;
    this.#from = client.remoteAddress ?? '';
    void flow(client, server, () => this.#judge('toServer'));
    void flow(server, client, () => this.#judge('toClient'));
    this.ended = Promise.all([this.#gone(client, server, 'toServer'), this.#gone(server, client, 'toClient')]).then(
      () => {},
    );
  }

  /** Its two ends no longer agree about what was said. */
  get broken(): boolean {
    return this.#lost && !this.#halved;
  }

  reset(): void {
    abort(this.#client);
    abort(this.#server);
  }

  halve(believes: 'client' | 'server'): void {
    this.#halved = true;
    abort(believes === 'client' ? this.#server : this.#client);
  }

  #judge(direction: Direction): Weather {
    const now: Weather = this.#halved ? { kind: 'blackhole', direction: 'both', from: () => true } : this.#weather();
    if (now.kind !== 'blackhole') return now;
    if ((now.direction !== 'both' && now.direction !== direction) || !now.from(this.#from)) return { kind: 'pass' };
    this.#lost = true;
    return now;
  }

  async #gone(socket: Socket, other: Socket, direction: Direction): Promise<void> {
    socket.on('error', () => {});
    const broken = await new Promise<boolean>((resolve) => socket.once('close', resolve));
    if (broken && this.#judge(direction).kind !== 'blackhole') abort(other);
  }
}

/**
 * With a reset where that is possible. Node resets one that is connecting only when it has connected, which it may
 * never do, and never lets go of one that was ending already.
 */
function abort(socket: Socket): void {
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** One direction, piece by piece and in order; ends when the sender has ended or either side is gone. */
async function flow(from: Socket, to: Socket, judge: () => Weather): Promise<void> {
  for await (const { chunk, at } of arrivals(from)) {
    let now = judge();
    if (now.kind === 'delay') {
      await pause(at + now.ms - performance.now());
      now = judge();
    }
    let rest = chunk;
    for (; now.kind === 'drip' && rest && rest.length > 0; now = judge()) {
      to.write(rest.subarray(0, 1));
      rest = rest.subarray(1);
      await pause(now.everyMs);
    }
    if (now.kind === 'blackhole') continue;
    if (rest === undefined) to.end();
    else if (to.destroyed) return;
    else if (rest.length > 0 && !to.write(rest))
      await new Promise<void>((resolve) => {
        to.once('drain', resolve);
        to.once('close', () => resolve());
      });
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    if (ms > 0) setTimeout(resolve, ms);
    else setImmediate(resolve);
  });

interface Piece {
  /** `undefined`: the sender has said all it had to say. */
  chunk: Buffer | undefined;
  /** By performance.now(). */
  at: number;
}

/** A socket's bytes and when they came, read ahead as far as HELD_BYTES_MAX. */
async function* arrivals(from: Socket): AsyncGenerator<Piece> {
  const held: Piece[] = [];
  let bytes = 0;
  let wake = () => {};
  const take = (chunk: Buffer | undefined) => {
    held.push({ chunk, at: performance.now() });
    bytes += chunk?.length ?? 0;
    if (bytes > HELD_BYTES_MAX) from.pause();
    wake();
  };
  from.on('data', (chunk: Buffer) => take(chunk));
  from.once('end', () => take(undefined));
  from.once('close', () => wake());
  for (;;) {
    const piece = held.shift();
    if (piece) {
      bytes -= piece.chunk?.length ?? 0;
      if (bytes <= HELD_BYTES_MAX) from.resume();
      yield piece;
    } else if (from.destroyed) {
      return;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}
