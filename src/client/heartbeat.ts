/** The first pings follow quickly, so that a countdown is right from its beginning. */
const FIRST_PINGS = 5;
const FIRST_PING_MS = 150;
const PING_MS = 8_000;

/** Pings measure the server's clock and show that the connection is alive. @returns stops them */
export function startHeartbeat(ping: () => void): () => void {
  const timers = Array.from({ length: FIRST_PINGS }, (_, i) => setTimeout(ping, i * FIRST_PING_MS));
  timers.push(setInterval(ping, PING_MS));
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}
