import type {
  CreditedMessage,
  ErrorMessage,
  GoodbyeMessage,
  RainSnapshot,
  ReceiptStatus,
  ResultMessage,
  WelcomeMessage,
  WinnersMessage,
} from '../protocol/messages.ts';
import type { RestockMessage, SaleSnapshot } from '../protocol/saleMessages.ts';
import type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';
import type { BuyOutcome, CancelOutcome } from './buyOutcome.ts';
import type { Link } from './connection.ts';
import type { Order } from './orders.ts';
import type { GrabOutcome, Packet } from './outcome.ts';
import type { NamedPurchase, Purchase } from './purchase.ts';
import type { ReceiptStore } from './receiptHolder.ts';
import type { OpenGrab, Joined } from './rainSession.ts';
import type { OpenPurchase, Visited } from './saleSession.ts';
import type { Signal } from './signal.ts';
import type { SocketClass } from './socket.ts';
import type { TokenSource } from './token.ts';

export interface RainClientOptions {
  /** The gateway's address, such as `wss://rain.example/v1`. */
  url: string;
  /** The user's JWT, or a function that fetches one. The function is called again when the last token has expired. */
  token: TokenSource;
  /** Default: the global WebSocket. Node 20 has none; pass the one of `ws`. */
  WebSocket?: SocketClass;
  /**
   * Solves a challenge, where the gateway requires one; `undefined`: not solved. `altcha-lib` fits, best in a web
   * worker.
   */
  solve?: (challenge: Challenge) => Promise<ChallengeSolution | undefined>;
  /** Keeps receipts of wins beyond the life of this client. Absent: only in its memory. */
  receipts?: ReceiptStore;
  /** In [0, 1); default `Math.random`. */
  random?: () => number;
  /** Monotonic ms; default `performance.now`. */
  now?: () => number;
  /** Epoch ms of a server, such as the `Date` of an HTTP answer; default: the clock of the device, which may be wrong. */
  serverTime?: number | undefined;
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
  /**
   * The user has won a packet; once per packet, from an answer, from a join after a lost connection, or from the
   * credit.
   */
  won: Packet & { rainId: string };
  /** The money is in the user's wallet; once per packet. */
  credited: CreditedMessage;
  /**
   * A join did not report a win that the user was told before, so its receipt was shown. `restored`: the server has it
   * again. `recorded`: the operator will decide about it. `known`: nothing was lost.
   */
  receipt: Packet & { rainId: string; status: ReceiptStatus };
  /** A sample of the wins of other users, with names as the server shows them, masked by default. */
  winners: WinnersMessage;
  /** A sale was planned, changed or visited. Also for sales that are not visited. */
  sale: SaleSnapshot;
  /** An order of the user in a visited sale is new, or its status or place has changed; never twice the same. */
  order: Order & { saleId: string };
  /** Units have come back of an item that was `all_reserved` or `sold_out` when the user asked for it. */
  restock: RestockMessage;
  /** The progress of a purchase. */
  buying: NamedPurchase & { saleId: string; why: OpenPurchase };
  /** The progress of a grab. */
  asking: { rainId: string; why: OpenGrab };
  /** The gateway is closing; the client reconnects by itself at the requested time. */
  goodbye: GoodbyeMessage;
  /**
   * The gateway did not understand a message; or, with `no_solver`, it requires a solved challenge and there is no
   * `solve`.
   */
  error: { code: ErrorMessage['code'] | 'no_solver'; reason: string };
}

/** Waiting can be ended with it; decisions stay. */
export interface Abortable {
  signal?: Signal;
}

/** One user's client. It keeps one connection, all joined rains and all visited sales until it is closed. */
export interface RainClient {
  readonly link: Link;
  /** The user id from the last welcome; the token decides it [R9]. */
  readonly userId: string | undefined;
  /**
   * Resolves with the first welcome; retries until then. Rejects with RainRefused after a final refusal, or with the
   * signal's reason.
   */
  connect(options?: Abortable): Promise<WelcomeMessage>;
  /** Disconnects for good: pending grabs end as `unanswered`. `connect` starts again. */
  close(): void;
  /** Reconnects to get a new welcome, which lists the rains. */
  renew(): void;
  /** Joins a rain, now and again after every reconnect. */
  join(rainId: string, options?: Abortable): Promise<Joined>;
  /** Leaves a rain: it is not joined again after the next reconnect. */
  leave(rainId: string): void;
  /**
   * Grabs, and repeats the grab while that is safe and useful: after a lost answer, a lost connection, "busy" or "too
   * fast" [R6]. Rejects only with the signal's reason; if an aborted grab has won, the event `won` still comes.
   */
  grab(rainId: string, options?: Abortable): Promise<GrabOutcome>;
  /** The current state of a joined rain, by the server's clock; `undefined` before its first snapshot. */
  rain(rainId: string): RainSnapshot | undefined;
  /** Visits a sale, now and again after every reconnect: its snapshots, and the user's orders in it. */
  visit(saleId: string, options?: Abortable): Promise<Visited>;
  /**
   * Leaves a sale: it is not visited again after the next reconnect. Purchases without an answer end as `unanswered`.
   */
  leaveSale(saleId: string): void;
  /**
   * Buys, and repeats the purchase with its ref while that is safe and useful: after a lost answer, a lost connection,
   * "busy" or "too fast" [R6]. Rejects with the signal's reason, with TypeError for what is no purchase, and with
   * RangeError when 20 others have no answer yet.
   */
  buy(saleId: string, purchase: Purchase, options?: Abortable): Promise<BuyOutcome>;
  /** Gives a reservation back. Resolves when the order is decided, with its status: `cancelled`, or what was faster. */
  cancel(saleId: string, reservationId: string, options?: Abortable): Promise<CancelOutcome>;
  /** The current state of a visited sale, by the server's clock; `undefined` before its first snapshot. */
  sale(saleId: string): SaleSnapshot | undefined;
  /** The user's orders in a visited sale, as far as the server has told of them. */
  orders(saleId: string): Order[];
  /** Epoch ms of the server. */
  serverNow(): number;
  /** @returns removes the listener */
  on<Name extends keyof RainEvents>(name: Name, listener: (event: RainEvents[Name]) => void): () => void;
}
