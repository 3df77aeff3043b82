import { createHmac, randomInt } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey as deriveChallengeKey } from 'altcha-lib/algorithms/pbkdf2';
import { challenge as challengeSchema, PROOF_OF_WORK_ALGORITHM, PROOF_OF_WORK_KEY_BYTES, PROOF_OF_WORK_ROUNDS, type Challenge, type ChallengeSolution } from '../../protocol/proofOfWork.ts';
import { boundTo, deriveKey } from './tickets.ts';

interface ProofOfWorkRules {
  secret: string;
  /** So many tries at most, half of them on average. */
  tries: number;
  /** How long there is to solve one, ms. */
  challengeMs: number;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
}

/**
 * Challenges, see `protocol/proofOfWork.ts`. Nothing is kept of them: a challenge is signed with a key of its user and rain, so that a
 * solution is worth something to him alone. He may show it again until the challenge runs out: he then gets a ticket to the rain
 * that he has one for already, and with two he wins no more than with one [R1].
 */
export class ProofOfWork {
  readonly #rules: ProofOfWorkRules;
  readonly #key: Buffer;
  readonly #solutionSecret: string;

  constructor(rules: ProofOfWorkRules) {
    this.#rules = rules;
    this.#key = deriveKey(rules.secret, 'challenge');
    this.#solutionSecret = deriveKey(rules.secret, 'solution').toString('base64url');
  }

  /** One try's worth of work, off this thread. */
  async make(userId: string, rainId: string): Promise<Challenge> {
    const { tries, now, challengeMs } = this.#rules;
    return challengeSchema.parse(await createChallenge({
      algorithm: PROOF_OF_WORK_ALGORITHM, cost: PROOF_OF_WORK_ROUNDS, keyLength: PROOF_OF_WORK_KEY_BYTES, counter: randomInt(tries), deriveKey: deriveChallengeKey,
      // Not the library's own expiry, which goes by this machine's clock.
      data: { until: now() + challengeMs },
      hmacSignatureSecret: this.#secretOf(userId, rainId), hmacKeySignatureSecret: this.#solutionSecret,
    }));
  }

  /** Two signatures are compared, whatever the solution is; nothing is computed anew. */
  async solved(userId: string, rainId: string, challenge: Challenge, solution: ChallengeSolution): Promise<boolean> {
    if (challenge.parameters.data.until <= this.#rules.now()) return false;
    const { verified } = await verifySolution({
      challenge, solution, deriveKey: deriveChallengeKey,
      hmacSignatureSecret: this.#secretOf(userId, rainId), hmacKeySignatureSecret: this.#solutionSecret,
    });
    return verified;
  }

  #secretOf(userId: string, rainId: string): string {
    return createHmac('sha256', this.#key).update(boundTo(userId, rainId)).digest('base64url');
  }
}
