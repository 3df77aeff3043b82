export type AtOnce = ReturnType<typeof limitAtOnce>;

/**
 * Bounds tasks of one kind that run or wait at the same time in this process, of all and of each who asks; one more is
 * refused [R10].
 */
export function limitAtOnce({ allMax, eachMax }: { allMax: number; eachMax: number }) {
  const running = new Map<string, number>();
  let all = 0;
  /** @returns ends the task, once for all; `undefined`: it must not begin */
  return (who: string): (() => void) | undefined => {
    const own = running.get(who) ?? 0;
    if (all >= allMax || own >= eachMax) return undefined;
    all++;
    running.set(who, own + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      all--;
      const left = running.get(who)! - 1;
      if (left === 0) running.delete(who);
      else running.set(who, left);
    };
  };
}
