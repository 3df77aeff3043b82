import { eventually } from '../support/eventually.ts';
import type { Chance } from './chance.ts';
import type { Told } from './told.ts';
import { User } from './user.ts';

export interface CrowdOptions {
  rainId: string;
  gatewayUrls: readonly string[];
  users: number;
  /** The users arrive between these two times, epoch ms. */
  from: number;
  to: number;
  tokenFor: (userId: string) => Promise<string>;
  random: Chance;
}

/** A few hundred users over real sockets, spread over the window, so that it rains whenever the fault strikes. */
export interface Crowd {
  /** By user id. The ids of a rain begin with the rain's. */
  told: ReadonlyMap<string, Told>;
  /** Who was told that a packet is his. */
  winners(): [userId: string, won: NonNullable<Told['won']>][];
  /** Waits until everybody has an answer that ends the matter; gives those who have none by then. */
  answered(withinMs: number): Promise<string[]>;
  /** Every winner asks once more; gives those who were not answered in time. */
  askOnceMore(withinMs: number): Promise<string[]>;
  /** Resolves when all sockets are closed. */
  leave(): Promise<void>;
}

const REPEATS_MAX = 3;

export async function gather({ rainId, gatewayUrls, users, from, to, tokenFor, random }: CrowdOptions): Promise<Crowd> {
  const members = new Map<string, User>();
  for (let i = 0; i < users; i++) {
    const userId = `${rainId}-u${i}`;
    members.set(userId, new User({
      userId, token: await tokenFor(userId), rainId, gatewayUrls, arrivesAt: random.between(from, to), repeats: random.between(0, REPEATS_MAX), random,
    }));
  }
  const told = new Map([...members].map(([userId, user]) => [userId, user.told]));
  const playing = Promise.all([...members.values()].map((user) => user.play()));
  const winners = () => [...told].flatMap(([userId, { won }]) => (won ? [[userId, won] as [string, typeof won]] : []));
  return {
    told,
    winners,
    async answered(withinMs) {
      const waiting = () => [...told].filter(([, { answeredAt }]) => answeredAt === undefined).map(([userId]) => userId);
      await eventually(() => waiting().length === 0, { timeoutMs: withinMs }).catch(() => {});
      return waiting();
    },
    async askOnceMore(withinMs) {
      const waiting = new Set(winners().map(([userId]) => userId));
      for (const userId of waiting) void members.get(userId)!.askOnceMore().then(() => waiting.delete(userId));
      await eventually(() => waiting.size === 0, { timeoutMs: withinMs }).catch(() => {});
      return [...waiting];
    },
    async leave() {
      for (const user of members.values()) user.leave();
      await playing;
    },
  };
}
