import './older/has-own.ts';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';
import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Challenge, ChallengeSolution } from '../../src/protocol/proofOfWork.ts';

/** A page loaded over plain http has no native cryptography. It computes the same in JavaScript, ten times slower. */
const derive: typeof deriveKey =
  'subtle' in crypto
    ? deriveKey
    : async ({ cost, keyLength }, salt, password) => ({
        parameters: {},
        derivedKey: pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength }),
      });

// A separate thread, so that the animation does not stop.
addEventListener('message', ({ data }: MessageEvent<Challenge>) => {
  void solveChallenge({ challenge: data, deriveKey: derive }).then((solved) => {
    postMessage(
      solved ? ({ counter: solved.counter, derivedKey: solved.derivedKey } satisfies ChallengeSolution) : undefined,
    );
  });
});
