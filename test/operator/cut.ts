import type { Desk } from '../../src/operator/desk.ts';

/** What the process dies of; nobody catches it. */
export class Cut extends Error {
  override name = 'Cut';
}

export interface CutDesk extends Desk {
  /** Calls of Redis and of the book so far. */
  calls(): number;
}

/**
 * A desk whose process dies at its `at`-th call of Redis or of the book (from 1): `before` it is made, or `after` it was carried
 * out and before its answer was heard. From then on nothing is called any more.
 */
export function cutDesk(desk: Desk, at: number, when: 'before' | 'after'): CutDesk {
  let calls = 0;
  const watch = <T extends object>(target: T): T => new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name);
      if (typeof member !== 'function') return member;
      return async (...words: unknown[]) => {
        const call = ++calls;
        if (call > at || (call === at && when === 'before')) throw new Cut(`cut ${when} call ${at}`);
        const answer: unknown = await (member as (...words: unknown[]) => unknown).apply(of, words);
        if (call === at) throw new Cut(`cut after call ${at}, ${String(name)}`);
        return answer;
      };
    },
  });
  return { ...desk, redis: watch(desk.redis), ledger: watch(desk.ledger), calls: () => calls };
}
