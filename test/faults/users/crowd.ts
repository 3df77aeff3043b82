import { eventually } from '../../support/eventually.ts';
import type { Chance } from '../means/chance.ts';
import type { UserRecord } from './told.ts';
import { User } from './user.ts';

interface CrowdOptions {
  rainId: string;
  gatewayUrls: readonly string[];
  /** userId → token, of all users. */
  tokens: ReadonlyMap<string, string>;
  /** The users arrive between these two times, epoch ms. */
  from: number;
  to: number;
  random: Chance;
}

/**
 * A few hundred users on real sockets. Their arrivals are spread over the window, so that users are active when the
 * fault strikes.
 */
export interface Crowd {
  /** By user id. */
  records: ReadonlyMap<string, UserRecord>;
  /** The users that received a win. */
  winners(): [userId: string, won: NonNullable<UserRecord['won']>][];
  /** Waits until every user has a final answer. @returns the users without one */
  answered(withinMs: number): Promise<string[]>;
  /** Every winner grabs once more. @returns the winners that were not answered in time */
  askOnceMore(withinMs: number): Promise<string[]>;
  /** Resolves when all sockets are closed. */
  leave(): Promise<void>;
}

const REPEATS_MAX = 3;

/**
 * Signs the tokens before the rain opens, because hundreds of signatures take time. User ids begin with the rain's id.
 */
export async function issueTokens(
  rainId: string,
  users: number,
  tokenFor: (userId: string) => Promise<string>,
): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (let i = 0; i < users; i++) tokens.set(`${rainId}-u${i}`, await tokenFor(`${rainId}-u${i}`));
  return tokens;
}

export function startCrowd({ rainId, gatewayUrls, tokens, from, to, random }: CrowdOptions): Crowd {
  const members = new Map(
    [...tokens].map(([userId, token]) => [
      userId,
      new User({
        userId,
        token,
        rainId,
        gatewayUrls,
        arrivesAt: random.between(from, to),
        repeats: random.between(0, REPEATS_MAX),
        random,
      }),
    ]),
  );
  const records = new Map([...members].map(([userId, user]) => [userId, user.record]));
  const playing = Promise.all([...members.values()].map((user) => user.play()));
  const winners = () =>
    [...records].flatMap(([userId, { won }]) => (won ? [[userId, won] as [string, typeof won]] : []));
  return {
    records,
    winners,
    async answered(withinMs) {
      const waiting = () =>
        [...records].filter(([, { answeredAt }]) => answeredAt === undefined).map(([userId]) => userId);
      await eventually(() => waiting().length === 0, { timeoutMs: withinMs }).catch(() => {});
      return waiting();
    },
    async askOnceMore(withinMs) {
      const waiting = new Set(winners().map(([userId]) => userId));
      for (const userId of waiting)
        void members
          .get(userId)!
          .askOnceMore()
          .then(() => waiting.delete(userId));
      await eventually(() => waiting.size === 0, { timeoutMs: withinMs }).catch(() => {});
      return [...waiting];
    },
    async leave() {
      for (const user of members.values()) user.leave();
      await playing;
    },
  };
}
