import type { CreditedMessage, ErrorMessage, GoodbyeMessage, RainSnapshot, ReceiptStatus, ResultMessage, WelcomeMessage, WinnersMessage } from '../protocol/messages.ts';
import type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';
import type { Link } from './connection.ts';
import type { GrabOutcome, Packet } from './outcome.ts';
import type { ReceiptStore } from './receiptHolder.ts';
import type { OpenGrab, Joined } from './rainSession.ts';
import type { SocketClass } from './socket.ts';
import type { TokenSource } from './token.ts';

export interface RainClientOptions {
  /** The gateway's address, such as `wss://rain.example/v1`. */
  url: string;
  /** The user's JWT, or a function that fetches one. The function is called again when the last token has expired. */
  token: TokenSource;
  /** Default: the global WebSocket. Node 20 has none; pass the one of `ws`. */
  WebSocket?: SocketClass;
  /** Solves a challenge, where the gateway requires one; `undefined`: not solved. `altcha-lib` fits, best in a web worker. */
  solve?: (challenge: Challenge) => Promise<ChallengeSolution | undefined>;
  /** Keeps receipts of wins beyond the life of this client. Absent: only in its memory. */
  receipts?: ReceiptStore;
  /** In [0, 1); default `Math.random`. */
  random?: () => number;
  /** Monotonic ms; default `performance.now`. */
  now?: () => number;
}

/** The events of a client and their data. */
export interface RainEvents {
  /** The state of the connection has changed. `code`: the reason with `refused`, see `RainRefused`. */
  link: { link: Link; code?: string };
  /** A gateway has accepted the connection; after every connect. */
  welcome: WelcomeMessage;
  /** A rain was planned, changed or joined. Also for rains that were not joined. */
  rain: RainSnapshot;
  /** A final answer: it ends a grab, or it came with a join. */
  result: ResultMessage;
  /** The user has won a packet; once per packet, from an answer, from a join after a lost connection, or from the credit. */
  won: Packet & { rainId: string };
  /** The money is in the user's wallet; once per packet. */
  credited: CreditedMessage;
  /**
   * A join did not report a win that the user was told before, so its receipt was shown. `restored`: the server has it again. `recorded`:
   * the operator will decide about it. `known`: nothing was lost.
   */
  receipt: Packet & { rainId: string; status: ReceiptStatus };
  /** A sample of the wins of other users, with masked names. */
  winners: WinnersMessage;
  /** The progress of a grab. */
  asking: { rainId: string; why: OpenGrab };
  /** The gateway is closing; the client reconnects by itself at the requested time. */
  goodbye: GoodbyeMessage;
  /** The gateway did not understand a message; or, with `no_solver`, it requires a solved challenge and there is no `solve`. */
  error: { code: ErrorMessage['code'] | 'no_solver'; reason: string };
}

/** One user's client. It keeps one connection and all joined rains until it is closed. */
export interface RainClient {
  readonly link: Link;
  /** The user id from the last welcome; the token decides it [R9]. */
  readonly userId: string | undefined;
  /** Resolves with the first welcome; retries until then. Rejects with RainRefused after a final refusal, or with the signal's reason. */
  connect(options?: { signal?: AbortSignal }): Promise<WelcomeMessage>;
  /** Disconnects for good: pending grabs end as `unanswered`. `connect` starts again. */
  close(): void;
  /** Reconnects to get a new welcome, which lists the rains. */
  renew(): void;
  /** Joins a rain, now and again after every reconnect. */
  join(rainId: string, options?: { signal?: AbortSignal }): Promise<Joined>;
  /** Leaves a rain: it is not joined again after the next reconnect. */
  leave(rainId: string): void;
  /**
   * Grabs, and repeats the grab while that is safe and useful: after a lost answer, a lost connection, "busy" or "too fast" [R6].
   * Rejects only with the signal's reason; if an aborted grab has won, the event `won` still comes.
   */
  grab(rainId: string, options?: { signal?: AbortSignal }): Promise<GrabOutcome>;
  /** The current state of a joined rain, by the server's clock; `undefined` before its first snapshot. */
  rain(rainId: string): RainSnapshot | undefined;
  /** Epoch ms of the server. */
  serverNow(): number;
  /** @returns removes the listener */
  on<Name extends keyof RainEvents>(name: Name, listener: (event: RainEvents[Name]) => void): () => void;
}
