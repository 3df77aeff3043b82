import type { OperatorContext } from '../../src/operator/context.ts';

/** The error that the process dies of; nobody catches it. */
export class Cut extends Error {
  override name = 'Cut';
}

interface WatchedContext extends OperatorContext {
  /** Calls of Redis and of the book so far. */
  calls(): number;
}

/** An operator context whose every call of Redis and of the book, counted from 1, goes through `carry`. */
function watchedContext(
  context: OperatorContext,
  carry: (call: number, make: () => Promise<unknown>, name: string) => Promise<unknown>,
): WatchedContext {
  let calls = 0;
  const watch = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name) {
        const member: unknown = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        const make = (words: unknown[]): unknown => (member as (...words: unknown[]) => unknown).apply(of, words);
        // A transaction is put together before it is sent; it counts when it is.
        if (name === 'multi')
          return (...words: unknown[]) => {
            const transaction = make(words) as { exec: () => Promise<unknown> };
            const send = transaction.exec.bind(transaction);
            return Object.assign(transaction, { exec: () => carry(++calls, send, 'exec') });
          };
        return (...words: unknown[]) => carry(++calls, async () => make(words), String(name));
      },
    });
  return { ...context, redis: watch(context.redis), ledger: watch(context.ledger), calls: () => calls };
}

/**
 * An operator context whose process dies at its `at`-th call: `before` it is made, or `after` it was carried out and
 * before its answer was heard. From then on nothing is called any more.
 */
export function cutContext(context: OperatorContext, at: number, when: 'before' | 'after'): WatchedContext {
  return watchedContext(context, async (call, make, name) => {
    if (call > at || (call === at && when === 'before')) throw new Cut(`cut ${when} call ${at}`);
    const answer = await make();
    if (call === at) throw new Cut(`cut after call ${at}, ${name}`);
    return answer;
  });
}

/** An operator context whose process sleeps before its `at`-th call while others do `deed`. */
export function overtakenContext(context: OperatorContext, at: number, action: () => Promise<void>): WatchedContext {
  return watchedContext(context, async (call, make) => {
    if (call === at) await action();
    return make();
  });
}
