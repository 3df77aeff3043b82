import { packetsAt } from '../protocol/fall.ts';

/** What falls over one user's screen, as his client and the gateway both compute it: see `protocol/fall.ts`. Epoch ms by the server's clock. */
export interface Fall {
  seed: number;
  opensAt: number;
  now: number;
}

/** The one that is nearest to its end: what a key taps, that points nowhere. `undefined`: none can be seen. */
export function lowestPacket({ seed, opensAt, now }: Fall): number | undefined {
  const [first, ...others] = packetsAt(seed, opensAt, now);
  return first && others.reduce((lowest, other) => (other.fallen > lowest.fallen ? other : lowest), first).packet;
}
