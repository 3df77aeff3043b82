import { appearsAt, fallMsOf } from '../../protocol/fall.ts';
import type { Entry } from './entry.ts';
import type { Limits } from '../limits.ts';
import type { Pace } from '../guard/pace.ts';
import type { Session } from '../session.ts';
import type { Tally } from '../tally.ts';

/** What a tap hears that cannot have been made by a hand on his screen. */
export type TapRefused = { code: '-10' } | { code: '-5'; retryInMs: number };

export interface TapRules {
  limits: Limits;
  tally: Tally;
  pace: Pace;
}

/** Epoch ms, both by Redis's clock. */
interface TapMoment {
  opensAt: number;
  time: number;
}

const NO_SUCH_PACKET: TapRefused = { code: '-10' };

/** Can he have seen the packet that he says he has tapped, and has he a hand left? Costs a few multiplications. */
export function tapRefused(session: Session, entry: Entry, packet: number | undefined, { opensAt, time }: TapMoment, { limits, tally, pace }: TapRules): TapRefused | undefined {
  // After "busy", "too fast" or a lost reply the same packet is the same question, however long ago it fell.
  if (packet !== undefined && packet === entry.packet) return undefined;
  if (packet === undefined || !onScreen(entry.ticket!.seed, opensAt, packet, time, limits)) {
    tally.refused.packets++;
    return NO_SUCH_PACKET;
  }
  const waitMs = pace.tap(session);
  if (waitMs > 0) return { code: '-5', retryInMs: waitMs };
  entry.packet = packet;
  return undefined;
}

function onScreen(seed: number, opensAt: number, packet: number, time: number, { tapEarlyMs, tapLateMs }: Limits): boolean {
  const age = time - appearsAt(seed, opensAt, packet);
  return age >= -tapEarlyMs && age <= fallMsOf(seed, packet) + tapLateMs;
}
