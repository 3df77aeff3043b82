import { once } from 'node:events';
import { WebSocket } from 'ws';
import { BEARER_PREFIX, SUBPROTOCOL } from '../protocol/constants.ts';
import { OUTCOMES } from '../protocol/outcomes.ts';
import { signToken } from '../platform/auth/token.ts';

/** Handshakes under way at once: enough to keep a gateway busy, too few for a queue that it would refuse. */
const DIALLED_AT_ONCE = 64;
const TOKEN_SECONDS = 600;
const BUSY = OUTCOMES['-7'].code;

/** Users on open sockets, who ask again as soon as they are answered. */
export interface Crowd {
  size: number;
  /** Each asks this rain until he is told more than "busy". @returns the codes heard, and how often; "busy" among them */
  askOnce(rainId: string): Promise<Map<string, number>>;
  /** All ask for so long. @returns how many answers they heard */
  askFor(rainId: string, ms: number): Promise<number>;
  leave(): void;
}

/** @throws Error when a socket is refused or lost meanwhile */
export async function gather(url: string, secret: string, size: number): Promise<Crowd> {
  const sockets: WebSocket[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: DIALLED_AT_ONCE }, async () => {
    while (next < size) sockets.push(await dial(url, await signToken(secret, { sub: `preflight-${next++}`, expiresInSeconds: TOKEN_SECONDS })));
  }));

  /** @param again whether a user who was answered so asks once more */
  function ask(rainId: string, onCode: (code: string) => void, again: (code: string) => boolean): Promise<unknown> {
    const question = JSON.stringify({ type: 'grab', rainId });
    return Promise.all(sockets.map((socket) => new Promise<void>((resolve, reject) => {
      const lost = () => reject(new Error('a socket was lost while it was measured'));
      const hear = (data: Buffer) => {
        const said = JSON.parse(data.toString()) as { type: string; rainId?: string; code?: string; retryInMs?: number };
        if (said.type !== 'result' || said.rainId !== rainId || said.code === undefined) return;
        onCode(said.code);
        if (again(said.code)) return said.retryInMs === undefined ? socket.send(question) : void setTimeout(() => socket.send(question), said.retryInMs);
        socket.off('message', hear);
        socket.off('close', lost);
        resolve();
      };
      socket.on('message', hear);
      socket.once('close', lost);
      socket.send(question);
    })));
  }

  return {
    size,
    async askOnce(rainId) {
      const codes = new Map<string, number>();
      await ask(rainId, (code) => codes.set(code, (codes.get(code) ?? 0) + 1), (code) => code === BUSY);
      return codes;
    },
    async askFor(rainId, ms) {
      const end = performance.now() + ms;
      let answers = 0;
      await ask(rainId, () => { answers++; }, () => performance.now() < end);
      return answers;
    },
    leave() { for (const socket of sockets) socket.terminate(); },
  };
}

async function dial(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(url, [SUBPROTOCOL, BEARER_PREFIX + token], { perMessageDeflate: false });
  await once(socket, 'open');
  socket.on('error', () => {});
  return socket;
}
