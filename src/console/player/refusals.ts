import { REFUSALS, type Refusal } from '../refusals.ts';

/** What a player may hear beside the console's own refusals. */
export const PLAYER_REFUSALS = {
  no_token: { status: 401, code: 'no_token', reason: 'Expected the token that you play with: Authorization: Bearer <jwt>, valid and not run out.' },
  no_such_rain: REFUSALS.no_such_rain,
  too_often: { status: 429, code: 'too_often', reason: 'You ask too often; wait a few seconds.' },
  busy: { status: 503, code: 'busy', reason: 'Very many look at their wallets just now. What you have won is safe; ask again in a moment.' },
  unavailable: { status: 503, code: 'unavailable', reason: 'The book cannot be read just now. What you have won is safe; ask again in a moment.' },
} as const satisfies Record<string, Refusal>;
