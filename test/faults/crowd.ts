import { eventually } from '../support/eventually.ts';
import type { Chance } from './chance.ts';
import type { Told } from './told.ts';
import { User } from './user.ts';

interface CrowdOptions {
  rainId: string;
  gatewayUrls: readonly string[];
  /** userId → token, of everybody who is to come. */
  tickets: ReadonlyMap<string, string>;
  /** The users arrive between these two times, epoch ms. */
  from: number;
  to: number;
  random: Chance;
}

/** A few hundred users over real sockets, spread over the window, so that it rains whenever the fault strikes. */
export interface Crowd {
  /** By user id. */
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

/** Signed before it rains: hundreds of signatures take their time. The ids of a rain's users begin with the rain's. */
export async function issueTickets(rainId: string, users: number, tokenFor: (userId: string) => Promise<string>): Promise<Map<string, string>> {
  const tickets = new Map<string, string>();
  for (let i = 0; i < users; i++) tickets.set(`${rainId}-u${i}`, await tokenFor(`${rainId}-u${i}`));
  return tickets;
}

export function gather({ rainId, gatewayUrls, tickets, from, to, random }: CrowdOptions): Crowd {
  const members = new Map([...tickets].map(([userId, token]) => [userId, new User({
    userId, token, rainId, gatewayUrls, arrivesAt: random.between(from, to), repeats: random.between(0, REPEATS_MAX), random,
  })]));
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
