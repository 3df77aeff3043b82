import type { Luckiest } from './leaderboard/leaderboard.ts';
import type { Greeting } from './rain-theme.ts';
import type { Face, Round } from './round.ts';
import type { Words } from './words/en.ts';

/** Everything on the screen except the falling packets. */
export interface View {
  face: Face | 'no_rain' | 'no_token' | 'refused';
  title?: string;
  /** Whole seconds until the rain opens, or until an open one closes. */
  seconds?: number;
  /** When a rain that has not begun will, epoch ms. */
  opensAt?: number;
  /** All packets of the rain, and so many seconds after the start, if this page can tell, none was left. */
  gone?: { packets: number; seconds?: number };
  /** Fraction of the packets that is left, 0 to 1. */
  left?: number;
  /** `old`: won before this page was opened. `recorded`: written down for the operator. */
  win?: { redPacketId: string; amount: string; credited: boolean; old?: true; recorded?: true };
  /** Present once the packets can be recomputed. `ready`: not verified yet. */
  proof?: NonNullable<Round['proof']> | 'ready';
  userId?: string;
  note?: keyof Words['notes'];
  /** The latest wins of others, masked by the server. */
  winners: { user: string; amount: string }[];
  /** The current rain; `over`: nothing can be won in it any more. */
  rainId?: string;
  over?: boolean;
  rehearsal?: boolean;
  invitedOnly?: true;
  luckiest?: Luckiest;
  /** The host's words with the rain. */
  greeting?: Greeting;
  /** Another rain that is offered. `seconds` until it opens; absent if it is open. */
  ahead?: { title: string; seconds?: number };
}
