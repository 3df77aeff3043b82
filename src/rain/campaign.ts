import { z } from 'zod';
import { plainRainId } from './ids.ts';

/**
 * Rains that share one count of wins per user. A rain of a campaign is one of its rounds; its id is
 * `<campaignId>.<round>`.
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

/** The campaign and round in a rain id; `undefined`: the rain is not part of a campaign. @param rainId a valid one */
export function roundOf(rainId: string): RoundName | undefined {
  const dot = rainId.indexOf('.');
  return dot < 0 ? undefined : { campaignId: rainId.slice(0, dot), round: Number(rainId.slice(dot + 1)) };
}

/** A user with this many wins in the campaign wins no more in this round. */
export function winsMaxOf(winsPerUserMax: number, excludeEarlierWinners: boolean): number {
  return excludeEarlierWinners ? 1 : winsPerUserMax;
}
