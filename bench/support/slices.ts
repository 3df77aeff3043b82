/** Runs a process only in short slices, as on an overloaded machine. @returns lets it run normally again */
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
