/** Has a process run in slices only, as on a machine that has little time for it. @returns lets it run again */
export function slice(pid: number, { runMs, stopMs }: { runMs: number; stopMs: number }): () => void {
  let timer: NodeJS.Timeout;
  const stop = () => {
    process.kill(pid, 'SIGSTOP');
    timer = setTimeout(go, stopMs);
  };
  const go = () => {
    process.kill(pid, 'SIGCONT');
    timer = setTimeout(stop, runMs);
  };
  stop();
  return () => {
    clearTimeout(timer);
    process.kill(pid, 'SIGCONT');
  };
}
