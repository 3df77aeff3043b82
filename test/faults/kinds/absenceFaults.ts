import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { thorough, type Fault } from '../fault.ts';
import type { Lines } from '../means/lines.ts';
import type { Scene } from '../run.ts';

/** How often and how long all users are disconnected, and how long the rain is open, ms. */
const absence = thorough
  ? { everyMs: 15_000, forMs: 2_000, windowMs: 46_000 }
  : { everyMs: 3_000, forMs: 400, windowMs: 7_000 };

/**
 * Every user has a final answer, and every winner a credit message: by the answer, by a repeated grab, or by a join.
 */
async function check({ crowd }: Scene): Promise<string[]> {
  const uncredited = () => crowd.winners().filter(([userId]) => !crowd.records.get(userId)!.credited).length;
  await eventually(() => uncredited() === 0, { timeoutMs: 15_000 }).catch(() => {});
  const wonBySource = { answer: 0, repeat: 0, join: 0, never: 0 };
  for (const { won, lost, wonBy } of crowd.records.values()) {
    if (won) wonBySource[wonBy!]++;
    else if (lost === undefined) wonBySource.never++;
  }
  return uncredited() + wonBySource.never === 0
    ? []
    : [
        `${uncredited()} winners did not receive their credit message; sources of the wins: ${JSON.stringify(wonBySource)}`,
      ];
}

export function absenceFaults(fault: Fault, lines: Lines): void {
  fault(
    `all users are away for ${absence.forMs / 1_000} s of every ${absence.everyMs / 1_000} s`,
    async ({ closesAt }) => {
      while (Date.now() < closesAt) {
        for (const line of lines.usersToGateways) line.refuse();
        await sleep(absence.forMs);
        for (const line of lines.usersToGateways) line.pass();
        await sleep(absence.everyMs - absence.forMs);
      }
    },
    { when: 'swing', runsMax: 3, rain: { windowMs: absence.windowMs, arrivalsMs: absence.windowMs - 1_000 }, check },
  );
}
