import { z } from 'zod';
import { rainId } from '../../rain/claim.ts';
import { STORED_STATES } from '../../rain/rain.ts';

/** Fields that several answers share. Amounts are decimal strings, times ISO 8601 unless said otherwise. */
export const money = z.string().describe('A decimal amount with two digits, such as "12.21".');
export const time = z.string().describe('ISO 8601, UTC.');
export const epochMs = z.number().describe('Milliseconds since 1970, UTC.');
export const count = z.int().min(0);
export const state = z.enum([...STORED_STATES, 'open']).describe('See the life of a rain.');

export const rainParams = z.strictObject({ rainId });

/** How many of something are told at once. */
export function limit(most: number, usual = 100) {
  return z.coerce.number(`expected 1 to ${most}`).int('expected a whole number').min(1, `expected 1 to ${most}`).max(most, `expected 1 to ${most}`).default(usual);
}

/** Where a page begins, as the page before has said in `next`. */
export const cursor = z.string().min(1).max(512, 'expected the `next` of the page before').optional();

/** Why, for the record; what the verb finds wrong with it, it says itself. */
export const reason = z.string('expected a reason');
export const forMs = z.number('expected milliseconds').optional().describe('How long, ms; absent: until it is lifted.');
