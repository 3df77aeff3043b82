import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';
import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Challenge, ChallengeSolution } from '../../src/protocol/proofOfWork.ts';

/** A page that did not come over https has no native cryptography; then the same is computed here, ten times as slowly. */
const derive: typeof deriveKey = 'subtle' in crypto ? deriveKey : async ({ cost, keyLength }, salt, password) =>
  ({ parameters: {}, derivedKey: pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength }) });

// A thread of its own: the packets fall on while it works.
addEventListener('message', ({ data }: MessageEvent<Challenge>) => {
  void solveChallenge({ challenge: data, deriveKey: derive }).then((solved) => {
    postMessage(solved ? { counter: solved.counter, derivedKey: solved.derivedKey } satisfies ChallengeSolution : undefined);
  });
});
