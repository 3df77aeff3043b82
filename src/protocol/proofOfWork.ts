import { z } from 'zod';

/**
 * A challenge costs the client processor time and costs us almost none. One of a known number of tries gives the right
 * key, and only trying shows which. The key function is PBKDF2, so that the browser of a phone is not much slower than
 * native code. The format is that of altcha-lib, whose solver a client may use. A challenge names neither user nor
 * rain: its signature binds it to both, so that nobody else can use it.
 */
const hex = (bytesMax: number) =>
  z.string().regex(new RegExp(`^([0-9a-f]{2}){1,${bytesMax}}$`), `expected 1 to ${bytesMax} bytes in hex`);

export const PROOF_OF_WORK_ALGORITHM = 'PBKDF2/SHA-256';
/** PBKDF2 rounds of one try. At this number the cost of the surrounding call is small in comparison. */
export const PROOF_OF_WORK_ROUNDS = 500;
export const PROOF_OF_WORK_KEY_BYTES = 32;

export const challenge = z.strictObject({
  parameters: z
    .strictObject({
      algorithm: z.literal(PROOF_OF_WORK_ALGORITHM).describe('The key function of one try'),
      cost: z.int().min(1).max(1_000_000).describe('PBKDF2 rounds in one try'),
      keyLength: z.literal(PROOF_OF_WORK_KEY_BYTES).describe('Length of the derived key, bytes'),
      keyPrefix: hex(PROOF_OF_WORK_KEY_BYTES).describe('The first bytes of the right key, hex'),
      keySignature: hex(PROOF_OF_WORK_KEY_BYTES).describe('Checked by the gateway'),
      nonce: hex(64).describe('The first part of the password, hex'),
      salt: hex(64).describe('The salt, hex'),
      data: z
        .strictObject({ until: z.int().describe("When the challenge expires, epoch ms by the server's clock") })
        .describe('Further data'),
    })
    .describe('What the client needs for its tries'),
  signature: hex(32).describe('Checked by the gateway'),
});
export type Challenge = z.infer<typeof challenge>;

export const solution = z.strictObject({
  counter: z.int().min(0).describe('The number of the right try'),
  derivedKey: hex(PROOF_OF_WORK_KEY_BYTES).describe('The key of that try, hex'),
});
export type ChallengeSolution = z.infer<typeof solution>;
