/** A Redis that is away fails every batch; one line a second says so. */
export function throttled(report: (error: unknown) => void): (error: unknown) => void {
  let next = 0;
  return (error) => {
    const now = Date.now();
    if (now < next) return;
    next = now + 1_000;
    report(error);
  };
}
