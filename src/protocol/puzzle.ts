import { z } from 'zod';

/**
 * A puzzle costs its solver processor time and us next to none: of so many tries at a key (PBKDF2, so that a phone's browser is
 * not far behind a script's native code) one is right, and which one only trying tells. The format is that of altcha-lib, whose solver
 * a client may use. A challenge names neither user nor rain: it is signed for both, so that nobody else can use it.
 */
const hex = (bytesMax: number) => z.string().regex(new RegExp(`^([0-9a-f]{2}){1,${bytesMax}}$`), `expected 1 to ${bytesMax} bytes in hex`);

export const PUZZLE_ALGORITHM = 'PBKDF2/SHA-256';
/** Rounds of one try: enough to make the call around it cheap beside it. */
export const PUZZLE_ROUNDS = 500;
export const PUZZLE_KEY_BYTES = 32;

export const challenge = z.strictObject({
  parameters: z.strictObject({
    algorithm: z.literal(PUZZLE_ALGORITHM),
    cost: z.int().min(1).max(1_000_000),
    keyLength: z.literal(PUZZLE_KEY_BYTES),
    keyPrefix: hex(PUZZLE_KEY_BYTES),
    keySignature: hex(PUZZLE_KEY_BYTES),
    nonce: hex(64),
    salt: hex(64),
    /** Until when it is taken, epoch ms by Redis's clock. */
    data: z.strictObject({ until: z.int() }),
  }),
  signature: hex(32),
});
export type Challenge = z.infer<typeof challenge>;

export const solution = z.strictObject({ counter: z.int().min(0), derivedKey: hex(PUZZLE_KEY_BYTES) });
export type PuzzleSolution = z.infer<typeof solution>;
