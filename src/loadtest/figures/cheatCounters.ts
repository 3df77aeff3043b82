import { Counts } from './counts.ts';
import type { ToldPackets } from './toldPackets.ts';

/**
 * The actions of the cheaters and their results; plain data. `heard`: answers, refusals and close codes. `wonTwice`:
 * cheaters with more than one packet, must be 0. `unheard`: cheaters that could not read their own result in the end,
 * for example because of a ban.
 */
export type CheatReport = ReturnType<CheatCounters['report']>;

/** Cheaters are counted apart, because their answers say nothing about the service for other users. */
export class CheatCounters {
  users = 0;
  frames = 0;
  unheard = 0;
  readonly heard = new Counts();
  readonly #packets = new Map<string, Set<string>>();
  readonly #toldPackets: ToldPackets;

  constructor(told: ToldPackets) {
    this.#toldPackets = told;
  }

  /** A cheater's win is a real win, and the audit must contain it. */
  win(userId: string, redPacketId: string, amount: string): void {
    this.#toldPackets.add(userId, redPacketId, amount);
    this.#hold(userId, [redPacketId]);
  }

  report() {
    const { users, frames, unheard, heard } = this;
    return {
      users,
      frames,
      unheard,
      heard: heard.ranked(),
      winners: this.#packets.size,
      wonTwice: [...this.#packets.values()].filter(({ size }) => size > 1).length,
    };
  }

  record() {
    const { users, frames, unheard, heard } = this;
    return {
      users,
      frames,
      unheard,
      heard: [...heard],
      packets: [...this.#packets].map(([userId, ids]) => [userId, [...ids]] as const),
    };
  }

  merge({ users, frames, unheard, heard, packets }: ReturnType<CheatCounters['record']>): void {
    this.users += users;
    this.frames += frames;
    this.unheard += unheard;
    this.heard.merge(heard);
    for (const [userId, ids] of packets) this.#hold(userId, ids);
  }

  #hold(userId: string, redPacketIds: readonly string[]): void {
    this.#packets.set(userId, new Set([...(this.#packets.get(userId) ?? []), ...redPacketIds]));
  }
}
