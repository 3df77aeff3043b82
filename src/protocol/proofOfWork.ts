import { z } from 'zod';

/**
 * A challenge costs its solver processor time and us next to none: of so many tries at a key (PBKDF2, so that a phone's browser is
 * not far behind a script's native code) one is right, and which one only trying tells. The format is that of altcha-lib, whose solver
 * a client may use. A challenge names neither user nor rain: it is signed for both, so that nobody else can use it.
 */
const hex = (bytesMax: number) => z.string().regex(new RegExp(`^([0-9a-f]{2}){1,${bytesMax}}$`), `expected 1 to ${bytesMax} bytes in hex`);

export const PROOF_OF_WORK_ALGORITHM = 'PBKDF2/SHA-256';
/** Rounds of one try: enough to make the call around it cheap beside it. */
export const PROOF_OF_WORK_ROUNDS = 500;
export const PROOF_OF_WORK_KEY_BYTES = 32;

export const challenge = z.strictObject({
  parameters: z.strictObject({
    algorithm: z.literal(PROOF_OF_WORK_ALGORITHM).describe('How one try is made'),
    cost: z.int().min(1).max(1_000_000).describe('Rounds of PBKDF2 in one try'),
    keyLength: z.literal(PROOF_OF_WORK_KEY_BYTES).describe('Bytes of the key that a try makes'),
    keyPrefix: hex(PROOF_OF_WORK_KEY_BYTES).describe('What the right key begins with, hex'),
    keySignature: hex(PROOF_OF_WORK_KEY_BYTES).describe('For the gateway'),
    nonce: hex(64).describe('The first part of the password, hex'),
    salt: hex(64).describe('The salt, hex'),
    data: z.strictObject({ until: z.int().describe("Until when it is taken, epoch ms by the server's clock") }).describe('More about it'),
  }).describe('What is to be tried'),
  signature: hex(32).describe('For the gateway'),
});
export type Challenge = z.infer<typeof challenge>;

export const solution = z.strictObject({
  counter: z.int().min(0).describe('The try that was right'),
  derivedKey: hex(PROOF_OF_WORK_KEY_BYTES).describe('The key that it made, hex'),
});
export type ChallengeSolution = z.infer<typeof solution>;
