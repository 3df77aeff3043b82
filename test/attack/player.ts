import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Named } from '../../src/platform/auth/token.ts';
import { BEARER_PREFIX, GATEWAY_PATH, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { tokenFor } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { ask, type Answer, type Question } from './asker.ts';
import type { Scene } from './scene.ts';

/** A message as it came. */
export type Heard = Readonly<Record<string, unknown>> & { type: string };

/** A user of the gateway with a token, and sockets or none. */
export interface Player {
  userId: string;
  token: string;
  /** The address that all requests come from. */
  from: string;
  /** Another socket of the same user. */
  connect(): Promise<Line>;
  /** A request over HTTP with the token of the user. */
  request(path: string, question?: Question): Promise<Answer>;
}

/** One socket of a player. */
export interface Line {
  /** Everything that has come. */
  heard: readonly Heard[];
  say(message: unknown): void;
  /**
   * Sends it.
   * @returns the first message of one of these types that comes afterwards; `closed` or `silence` if none does
   */
  ask(message: unknown, ...types: string[]): Promise<Heard>;
  /** The first message of one of these types, also one that came before. */
  next(...types: string[]): Promise<Heard>;
  /** Waits until the gateway has answered everything that it read so far at once. */
  settle(): Promise<void>;
  /** Resolves with the close code. */
  closed: Promise<number>;
  leave(): Promise<void>;
}

const ANSWER_MS_MAX = 8_000;

/** Type and code, as `result -9`. */
export const inShort = ({ type, code }: Heard): string => (code === undefined ? type : `${type} ${String(code)}`);

export async function playerOf(
  { gateway, address }: Scene,
  userId: string,
  { named = {}, from = address(), port = gateway.port }: { named?: Named; from?: string; port?: number } = {},
): Promise<Player> {
  const token = await tokenFor(userId, undefined, named);
  return {
    userId,
    token,
    from,
    connect: () => open(port, token, from),
    request: (path, question = {}) =>
      ask(port, path, { from, ...question, headers: { authorization: `Bearer ${token}`, ...question.headers } }),
  };
}

/** A player with one socket. */
export async function enter(
  scene: Scene,
  userId: string,
  options: Parameters<typeof playerOf>[2] = {},
): Promise<Player & Line> {
  const player = await playerOf(scene, userId, options);
  const line = await player.connect();
  return { ...player, ...line };
}

async function open(port: number, token: string, from: string): Promise<Line> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${GATEWAY_PATH}`, [SUBPROTOCOL, BEARER_PREFIX + token], {
    localAddress: from,
  });
  const heard: Heard[] = [];
  let gone: number | undefined;
  socket.on('error', () => {});
  socket.on('message', (data) => heard.push(JSON.parse(String(data)) as Heard));
  const closed = new Promise<number>((resolve) =>
    socket.once('close', (code) => {
      gone = code;
      resolve(code);
    }),
  );
  await Promise.race([
    once(socket, 'open'),
    closed.then((code) => {
      throw new Error(`closed with ${code} before it opened`);
    }),
  ]);
  const say = (message: unknown) =>
    socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  // The status of an order that was asked for with another ref may come in between.
  const firstAfter = async (mark: number, types: readonly string[], asked?: unknown): Promise<Heard> =>
    eventually(
      () => {
        const found = heard
          .slice(mark)
          .find(({ type, ref }) => types.includes(type) && (asked === undefined || ref === undefined || ref === asked));
        if (found) return found;
        return gone === undefined ? false : { type: 'closed', code: gone };
      },
      { timeoutMs: ANSWER_MS_MAX, everyMs: 5 },
    ).catch(() => ({ type: 'silence' }));
  const askLine: Line['ask'] = (message, ...types) => {
    const mark = heard.length;
    say(message);
    return firstAfter(mark, types, (message as { ref?: unknown } | null)?.ref);
  };
  return {
    heard,
    say,
    closed,
    ask: askLine,
    next: (...types) => firstAfter(0, types),
    settle: async () => void (await askLine({ type: 'ping', t: heard.length }, 'pong')),
    async leave() {
      socket.close();
      await closed;
    },
  };
}
