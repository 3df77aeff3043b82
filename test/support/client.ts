import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ServerMessage } from '../../src/protocol/messages.ts';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { signToken, type Named } from '../../src/platform/auth/token.ts';

export const SECRET = 'a-secret-for-tests-only-0123456789abcdef';

export const tokenFor = (userId: string, expiresInSeconds = 3_600, named: Named = {}): Promise<string> =>
  signToken(SECRET, { sub: userId, expiresInSeconds, ...named });

type MessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

/** One socket in a test, so that a test reads as a dialogue. It sends anything, also what no real client sends. */
export interface Client {
  readonly socket: WebSocket;
  say(message: unknown): void;
  /**
   * The next message of this type not yet asked for; earlier ones of other types are kept. Rejects after 20 s or when
   * the socket closes.
   */
  next<T extends ServerMessage['type']>(type: T): Promise<MessageOf<T>>;
  /** Resolves with the close code. */
  closed: Promise<number>;
  /** Closes and waits until it is closed. */
  leave(): Promise<void>;
}

/** Connects as a browser does unless a token is given otherwise. */
export async function dial(url: string, userId: string, named: Named = {}): Promise<Client> {
  const socket = new WebSocket(url, [SUBPROTOCOL, BEARER_PREFIX + (await tokenFor(userId, undefined, named))]);
  const client = follow(socket);
  await Promise.race([
    once(socket, 'open'),
    client.closed.then((code) => {
      throw new Error(`closed with ${code} before it opened`);
    }),
  ]);
  return client;
}

export function follow(socket: WebSocket): Client {
  const heard: ServerMessage[] = [];
  const waiting = new Set<() => void>();
  let gone: number | undefined;
  const wake = () => {
    for (const look of waiting) look();
  };
  const closed = new Promise<number>((resolve) =>
    socket.once('close', (code) => {
      gone = code;
      resolve(code);
      wake();
    }),
  );
  socket.on('error', () => {});
  socket.on('message', (data) => {
    heard.push(JSON.parse(String(data)) as ServerMessage);
    wake();
  });
  return {
    socket,
    closed,
    say: (message) =>
      socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message)),
    next: <T extends ServerMessage['type']>(type: T) =>
      new Promise<MessageOf<T>>((resolve, reject) => {
        const finish = (act: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          act();
        };
        const look = () => {
          const at = heard.findIndex((message) => message.type === type);
          if (at >= 0) return finish(() => resolve(heard.splice(at, 1)[0] as MessageOf<T>));
          if (gone !== undefined)
            finish(() => reject(new Error(`socket closed with ${gone} while waiting for ${type}`)));
        };
        const timer = setTimeout(
          () => finish(() => reject(new Error(`no ${type} in 20 s; heard ${JSON.stringify(heard)}`))),
          20_000,
        );
        waiting.add(look);
        look();
      }),
    async leave() {
      socket.close();
      await closed;
    },
  };
}
