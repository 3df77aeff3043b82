import type { ToldPackets } from './toldPackets.ts';

/** The actions of the cheaters and their results; plain data. */
export interface CheatReport {
  users: number;
  /** Frames sent: grabs that are too fast, invalid messages, forged fields. */
  frames: number;
  /** Answers, refusals and close codes that they received, by name. */
  heard: { name: string; count: number }[];
  winners: number;
  /** Cheaters that received more than one packet. Must be 0. */
  wonTwice: number;
  /** Cheaters that could not read their own result in the end, for example because they were banned. */
  unheard: number;
}

export interface CheatRecord {
  users: number;
  frames: number;
  unheard: number;
  heard: [string, number][];
  packets: [userId: string, redPacketIds: string[]][];
}

/** Cheaters are counted apart, because their answers say nothing about the service for other users. */
export class CheatCounters {
  users = 0;
  frames = 0;
  unheard = 0;
  readonly #heard = new Map<string, number>();
  readonly #packets = new Map<string, Set<string>>();
  readonly #toldPackets: ToldPackets;

  constructor(told: ToldPackets) {
    this.#toldPackets = told;
  }

  receive(name: string, count = 1): void {
    this.#heard.set(name, (this.#heard.get(name) ?? 0) + count);
  }

  /** A cheater's win is a real win, and the audit must contain it. */
  win(userId: string, redPacketId: string, amount: string): void {
    this.#toldPackets.add(userId, redPacketId, amount);
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
    for (const [name, count] of heard) this.receive(name, count);
    for (const [userId, ids] of packets) for (const id of ids) this.#hold(userId, id);
  }

  #hold(userId: string, redPacketId: string): void {
    const held = this.#packets.get(userId);
    if (held) held.add(redPacketId);
    else this.#packets.set(userId, new Set([redPacketId]));
  }
}
