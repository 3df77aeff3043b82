import { z } from 'zod';
import { plainRainId } from './claim.ts';

/**
 * Several rains that share one count of wins per user. A rain of a campaign is one of its rounds, and its id says so:
 * `<campaignId>.<round>`. So whoever holds the id of a rain knows its campaign without asking anybody, and all rounds of a
 * campaign lie beside each other in Redis.
 */
export const campaignId = plainRainId;

/** Rounds are counted from 1; three digits, as the id of a rain allows. */
export const ROUNDS_MAX = 999;

const ROUND = `expected a round from 1 to ${ROUNDS_MAX}`;
export const round = z.int(ROUND).min(1, ROUND).max(ROUNDS_MAX, ROUND);

interface RoundName {
  campaignId: string;
  round: number;
}

export function roundId({ campaignId: campaign, round: number }: RoundName): string {
  return `${campaign}.${number}`;
}

/** The other way round; `undefined`: a rain of its own. @param rainId a valid one */
export function roundOf(rainId: string): RoundName | undefined {
  const dot = rainId.indexOf('.');
  return dot < 0 ? undefined : { campaignId: rainId.slice(0, dot), round: Number(rainId.slice(dot + 1)) };
}

/**
 * With so many wins in the campaign a user has had enough for this round. In a round for those who have won in no other, one
 * win anywhere is enough.
 */
export function winsMaxOf(winsPerUserMax: number, excludeEarlierWinners: boolean): number {
  return excludeEarlierWinners ? 1 : winsPerUserMax;
}
