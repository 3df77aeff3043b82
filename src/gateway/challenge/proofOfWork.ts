import { createHmac, randomInt } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey as deriveChallengeKey } from 'altcha-lib/algorithms/pbkdf2';
import {
  challenge as challengeSchema,
  PROOF_OF_WORK_ALGORITHM,
  PROOF_OF_WORK_KEY_BYTES,
  PROOF_OF_WORK_ROUNDS,
  type Challenge,
  type ChallengeSolution,
} from '../../protocol/proofOfWork.ts';
import { boundTo, deriveKey } from './tickets.ts';

interface ProofOfWorkRules {
  secret: string;
  tries: number;
  challengeMs: number;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
}

/**
 * Challenges, see `protocol/proofOfWork.ts`. None needs to be stored: the key of the signature is derived from user and
 * rain, so a solution is valid for these only. Sent again before it expires, it gives a second ticket, which wins no
 * more than one [R1].
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

  /** Costs as much as one try, outside this thread. */
  async create(userId: string, rainId: string): Promise<Challenge> {
    const { tries, now, challengeMs } = this.#rules;
    return challengeSchema.parse(
      await createChallenge({
        algorithm: PROOF_OF_WORK_ALGORITHM,
        cost: PROOF_OF_WORK_ROUNDS,
        keyLength: PROOF_OF_WORK_KEY_BYTES,
        counter: randomInt(tries),
        deriveKey: deriveChallengeKey,
        // The library's own expiry would use the clock of this machine.
        data: { until: now() + challengeMs },
        hmacSignatureSecret: this.#secretOf(userId, rainId),
        hmacKeySignatureSecret: this.#solutionSecret,
      }),
    );
  }

  /**
   * Compares two signatures, whatever the solution is; derives no key.
   * @param from epoch ms: a challenge that was created earlier is worth nothing
   */
  async verify(
    userId: string,
    rainId: string,
    challenge: Challenge,
    solution: ChallengeSolution,
    from: number,
  ): Promise<boolean> {
    const { until } = challenge.parameters.data;
    if (until <= this.#rules.now() || until - this.#rules.challengeMs < from) return false;
    const { verified } = await verifySolution({
      challenge,
      solution,
      deriveKey: deriveChallengeKey,
      hmacSignatureSecret: this.#secretOf(userId, rainId),
      hmacKeySignatureSecret: this.#solutionSecret,
    });
    return verified;
  }

  #secretOf(userId: string, rainId: string): string {
    return createHmac('sha256', this.#key).update(boundTo(userId, rainId)).digest('base64url');
  }
}
