import type { Face, Round } from '../round.ts';
import type { PacketStatus } from '../wallet/account.ts';

/** All texts of this page in one language. `headline` and `detail` are keyed by the face of the screen. */
export interface Words {
  lang: string;
  page: string;
  headline: Record<Face | 'no_rain' | 'no_token' | 'refused', string>;
  detail: Record<Face | 'no_rain' | 'no_token' | 'refused', string>;
  credited: string;
  onItsWay: string;
  grab: string;
  next: string;
  left: string;
  you: string;
  verify: string;
  proof: Record<NonNullable<Round['proof']>, string>;
  notes: { lost: string; busy: string; tooFast: string; unanswered: string; preparing: string };
  /** Announced once, when few seconds are left. */
  soon: (seconds: number) => string;
  rehearsal: string;
  /** Shown with a win that the page received only after reconnecting. */
  wonWhileAway: string;
  tools: { sound: string; buzz: string; walletSheet: string };
  walletSheet: {
    title: string; total: string; pending: string; empty: string; loading: string; failed: string; guest: string; close: string;
    status: Record<PacketStatus, string>; rehearsal: string; more: string; late: string;
  };
  luckiest: { title: string; soFar: string };
  ahead: { offer: string; now: string; untitled: string };
  money: (amount: string) => string;
}
