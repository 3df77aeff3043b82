import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { thorough, type Fault } from './fault.ts';
import type { Lines } from './lines.ts';
import type { Scene } from './run.ts';

/** How often everybody goes away, how long, and for how long it rains, ms. */
const away = thorough ? { everyMs: 15_000, forMs: 2_000, windowMs: 46_000 } : { everyMs: 3_000, forMs: 400, windowMs: 7_000 };

/** Everybody has heard how it ended, and who won also that the money is there: by the answer, by asking again, or from what a join tells. */
async function check({ crowd }: Scene): Promise<string[]> {
  const left = () => crowd.winners().filter(([userId]) => !crowd.told.get(userId)!.credited).length;
  await eventually(() => left() === 0, { timeoutMs: 15_000 }).catch(() => {});
  const learnt = { answer: 0, repeat: 0, join: 0, never: 0 };
  for (const { won, lost, wonBy } of crowd.told.values()) {
    if (won) learnt[wonBy!]++;
    else if (lost === undefined) learnt.never++;
  }
  return left() + learnt.never === 0 ? [] : [`${left()} winners never heard of their credit; of all, ${JSON.stringify(learnt)}`];
}

export function absenceFaults(fault: Fault, lines: Lines): void {
  fault(`all users are away for ${away.forMs / 1_000} s of every ${away.everyMs / 1_000} s`, async ({ closesAt }) => {
    while (Date.now() < closesAt) {
      for (const line of lines.usersToGateways) line.refuse();
      await sleep(away.forMs);
      for (const line of lines.usersToGateways) line.pass();
      await sleep(away.everyMs - away.forMs);
    }
  }, { when: 'swing', runsMax: 3, rain: { windowMs: away.windowMs, arrivalsMs: away.windowMs - 1_000 }, check });
}
