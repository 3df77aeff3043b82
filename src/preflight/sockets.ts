import { once } from 'node:events';
import { WebSocket } from 'ws';
import { BEARER_PREFIX, SUBPROTOCOL } from '../protocol/constants.ts';
import { OUTCOMES } from '../protocol/outcomes.ts';
import { signToken } from '../platform/auth/token.ts';

/** Parallel handshakes: enough to keep a gateway busy, too few for a queue that it would refuse. */
const HANDSHAKES_MAX = 64;
const TOKEN_SECONDS = 600;
const BUSY = OUTCOMES['-7'].code;

/** Users on open sockets; each grabs again as soon as it has an answer. */
export type Crowd = Awaited<ReturnType<typeof openCrowd>>;

/** Opens the sockets. @throws Error when a socket is refused or lost */
export async function openCrowd(url: string, secret: string, size: number) {
  const sockets: WebSocket[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: HANDSHAKES_MAX }, async () => {
      while (next < size)
        sockets.push(
          await dial(url, await signToken(secret, { sub: `preflight-${next++}`, expiresInSeconds: TOKEN_SECONDS })),
        );
    }),
  );

  /** @param again whether a user grabs again after this code */
  function grab(rainId: string, onCode: (code: string) => void, again: (code: string) => boolean): Promise<unknown> {
    const frame = JSON.stringify({ type: 'grab', rainId });
    return Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve, reject) => {
            const lost = () => reject(new Error('a socket was lost during the measurement'));
            const onMessage = (data: Buffer) => {
              const message = JSON.parse(data.toString()) as {
                type: string;
                rainId?: string;
                code?: string;
                retryInMs?: number;
              };
              if (message.type !== 'result' || message.rainId !== rainId || message.code === undefined) return;
              onCode(message.code);
              if (again(message.code))
                return message.retryInMs === undefined
                  ? socket.send(frame)
                  : void setTimeout(() => socket.send(frame), message.retryInMs);
              socket.off('message', onMessage);
              socket.off('close', lost);
              resolve();
            };
            socket.on('message', onMessage);
            socket.once('close', lost);
            socket.send(frame);
          }),
      ),
    );
  }

  return {
    size,
    /**
     * Each user grabs until the answer is not "busy".
     * @returns the codes of all answers and their counts, with "busy"
     */
    async grabOnce(rainId: string) {
      const codes = new Map<string, number>();
      await grab(
        rainId,
        (code) => codes.set(code, (codes.get(code) ?? 0) + 1),
        (code) => code === BUSY,
      );
      return codes;
    },
    /** All users grab again and again for this time. @returns the number of answers */
    async grabFor(rainId: string, ms: number) {
      const end = performance.now() + ms;
      let answers = 0;
      await grab(
        rainId,
        () => {
          answers++;
        },
        () => performance.now() < end,
      );
      return answers;
    },
    leave() {
      for (const socket of sockets) socket.terminate();
    },
  };
}

async function dial(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(url, [SUBPROTOCOL, BEARER_PREFIX + token], { perMessageDeflate: false });
  await once(socket, 'open');
  socket.on('error', () => {});
  return socket;
}
