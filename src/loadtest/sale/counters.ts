import { Counts } from '../figures/counts.ts';
import { LatencyRecorder } from '../figures/latency.ts';
import { ToldOrders } from './toldOrders.ts';

/** Counts of buyers. `connected`: sockets open now; `answered`: buyers whose purchases are all decided. */
export interface BuyerProgress {
  users: number;
  connected: number;
  answered: number;
  ended: number;
}

/** The counters of all buyers of a swarm. */
export class BuyerCounters {
  readonly progress: BuyerProgress;
  readonly told = new ToldOrders();
  /** From the purchase to its outcome, with retries and reconnects. */
  readonly buys = new LatencyRecorder();
  /** From the payment, and from the wish to cancel, to the message about it. */
  readonly payments = new LatencyRecorder();
  readonly cancels = new LatencyRecorder();
  /** How buyers ended, how purchases ended, and which answers were followed by a retry. */
  readonly endings = new Counts();
  readonly outcomes = new Counts();
  readonly retries = new Counts();
  readonly cancelled = new Counts();
  readonly paid = new Counts();
  repeats = { asked: 0, same: 0 };
  hostile = { sent: 0, refused: 0 };
  welcomes = 0;
  lostConnections = 0;
  /** `error` messages that no hostile frame has caused. */
  misunderstood = 0;
  /** Why the last connection failed, until one succeeds. */
  lastFailure: string | undefined;

  constructor(users: number) {
    this.progress = { users, connected: 0, answered: 0, ended: 0 };
  }
}
