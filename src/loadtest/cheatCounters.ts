import type { ToldPackets } from './toldPackets.ts';

/** What cheaters have done and what they got for it; plain data. */
export interface CheatReport {
  users: number;
  /** Frames sent: grabs too fast, garbage, forged fields. */
  frames: number;
  /** What they were answered, refused and closed with, by name. */
  heard: { name: string; count: number }[];
  winners: number;
  /** Who was told of more than one packet. There must be none. */
  wonTwice: number;
  /** Who could not find out in the end whether he had won, e.g. because he was kept out. */
  unheard: number;
}

export interface CheatRecord {
  users: number;
  frames: number;
  unheard: number;
  heard: [string, number][];
  packets: [userId: string, redPacketIds: string[]][];
}

/** Cheaters are reported apart: what they hear is no measure of how others are served. */
export class CheatCounters {
  users = 0;
  frames = 0;
  unheard = 0;
  readonly #heard = new Map<string, number>();
  readonly #packets = new Map<string, Set<string>>();
  readonly #told: ToldPackets;

  constructor(told: ToldPackets) {
    this.#told = told;
  }

  hear(name: string, count = 1): void {
    this.#heard.set(name, (this.#heard.get(name) ?? 0) + count);
  }

  /** What a cheater wins is won, and has to be found in the audit. */
  win(userId: string, redPacketId: string, amount: string): void {
    this.#told.tell(userId, redPacketId, amount);
    this.#hold(userId, redPacketId);
  }

  report(): CheatReport {
    const { users, frames, unheard } = this;
    return {
      users, frames, unheard, heard: [...this.#heard].sort(([, a], [, b]) => b - a).map(([name, count]) => ({ name, count })),
      winners: this.#packets.size, wonTwice: [...this.#packets.values()].filter(({ size }) => size > 1).length,
    };
  }

  record(): CheatRecord {
    const { users, frames, unheard } = this;
    return { users, frames, unheard, heard: [...this.#heard], packets: [...this.#packets].map(([userId, ids]) => [userId, [...ids]]) };
  }

  merge({ users, frames, unheard, heard, packets }: CheatRecord): void {
    this.users += users;
    this.frames += frames;
    this.unheard += unheard;
    for (const [name, count] of heard) this.hear(name, count);
    for (const [userId, ids] of packets) for (const id of ids) this.#hold(userId, id);
  }

  #hold(userId: string, redPacketId: string): void {
    const held = this.#packets.get(userId);
    if (held) held.add(redPacketId);
    else this.#packets.set(userId, new Set([redPacketId]));
  }
}
