import type { CreditedMessage, ErrorMessage, GoodbyeMessage, RainSnapshot, ResultMessage, WelcomeMessage, WinnersMessage } from '../protocol/messages.ts';
import type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';
import type { Link } from './connection.ts';
import type { GrabOutcome, Packet } from './outcome.ts';
import type { OpenGrab, Joined } from './rainSession.ts';
import type { SocketClass } from './socket.ts';
import type { TokenSource } from './token.ts';

export interface RainClientOptions {
  /** The gateway's address, such as `wss://rain.example/v1`. */
  url: string;
  /** The user's JWT, or a function that fetches one; it is asked again when the last has run out. */
  token: TokenSource;
  /** Default: the global one. Node 20 has none; give it that of `ws`. */
  WebSocket?: SocketClass;
  /** Works on a challenge, where one is asked for; `undefined`: in vain. That of `altcha-lib` fits; best in a worker. */
  solve?: (challenge: Challenge) => Promise<ChallengeSolution | undefined>;
  /** In [0, 1); default `Math.random`. */
  random?: () => number;
  /** Monotonic ms; default `performance.now`. */
  now?: () => number;
}

/** What is told, by the name of the event. */
export interface RainEvents {
  /** `code` with `refused`: why, see `RainRefused`. */
  link: { link: Link; code?: string };
  /** Each time a gateway has let us in. */
  welcome: WelcomeMessage;
  /** A rain is planned, has changed, or was joined. Also of rains that were not joined. */
  rain: RainSnapshot;
  /** Something is decided: an answer that ends a grab, or what a join tells. */
  result: ResultMessage;
  /** A packet is his; once per packet, whichever way it came to be known: an answer, a join after a lost line, the credit. */
  won: Packet & { rainId: string };
  /** The money is in his wallet; once per packet. */
  credited: CreditedMessage;
  /** A sample of what others have won, their names masked. */
  winners: WinnersMessage;
  /** How far a grab has come. */
  asking: { rainId: string; why: OpenGrab };
  /** The gateway restarts; we come back by ourselves when it wants us to. */
  goodbye: GoodbyeMessage;
  /** The gateway did not understand us, or, as `no_solver`, asks for a challenge to be solved and nobody was given who can. */
  error: { code: ErrorMessage['code'] | 'no_solver'; reason: string };
}

/** One user's client. It keeps one connection, and all that was joined, until it is closed. */
export interface RainClient {
  readonly link: Link;
  /** As the last welcome said; the token decides it [R9]. */
  readonly userId: string | undefined;
  /** Resolves with the first welcome; goes on trying until then. Rejects with RainRefused when trying on is in vain, and with the signal's reason. */
  connect(options?: { signal?: AbortSignal }): Promise<WelcomeMessage>;
  /** Hangs up, for good: grabs under way end as `unanswered`. `connect` begins anew. */
  close(): void;
  /** Hangs up and comes back, to be welcomed again: a welcome lists the rains. */
  renew(): void;
  /** Watches a rain, now and after every reconnect. */
  join(rainId: string, options?: { signal?: AbortSignal }): Promise<Joined>;
  /** Watches it no longer: it is not joined again after the next reconnect. */
  leave(rainId: string): void;
  /**
   * Grabs, and asks again for as long as it is safe and of use: after a lost answer, a lost line, "busy" or "too fast" [R6].
   * Rejects only with the signal's reason; a win whose grab was given up is told by `won` all the same.
   */
  grab(rainId: string, options?: { signal?: AbortSignal }): Promise<GrabOutcome>;
  /** A joined rain as it is now, by the server's clock; `undefined` before it was told. */
  rain(rainId: string): RainSnapshot | undefined;
  /** Epoch ms of the server. */
  serverNow(): number;
  /** @returns stops listening */
  on<Name extends keyof RainEvents>(name: Name, listener: (told: RainEvents[Name]) => void): () => void;
}
