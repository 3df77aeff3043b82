import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { direct, DIRECTED } from './directed.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { isSound, play } from './play.ts';
import type { Findings } from './stage.ts';

interface Explored {
  runs: number;
  calls: number;
  deaths: number;
  failovers: number;
  false_no: number;
  lost: number;
  doubled: number;
  mutants: Record<string, 'found' | 'not found'>;
}

/** Runs in which chance looks for a mutant that no directed schedule has found. */
const MUTANT_RUNS = 40;

/**
 * Plays every directed schedule, and runs with seeds from this one on, then the same with each mutant.
 * @param tell is given what each unsound run has found
 */
export async function explore(
  redis: RedisClient,
  { runs, seed }: { runs: number; seed: number },
  tell: (sentence: string) => void,
): Promise<Explored> {
  const total: Explored = { runs: 0, calls: 0, deaths: 0, failovers: 0, false_no: 0, lost: 0, doubled: 0, mutants: {} };
  function count({ falseNo, lost, doubled }: Findings, what: string): void {
    total.false_no += falseNo.length;
    total.lost += lost.length;
    total.doubled += doubled.length;
    if (falseNo.length > 0) tell(`${what}: untrue "nothing left" to ${falseNo.join(', ')}`);
    for (const sentence of [...lost, ...doubled]) tell(`${what}: ${sentence}`);
  }
  for (const directed of DIRECTED) count(await direct(redis, directed), directed.name);
  for (; total.runs < runs; total.runs++) {
    const played = await play(redis, seed + total.runs);
    total.calls += played.calls;
    total.deaths += played.deaths;
    total.failovers += played.failovers;
    count(played, `seed ${played.seed}`);
  }
  for (const mutant of MUTANTS) {
    const isFound = (await isFoundByOrder(redis, mutant)) || (await isFoundByChance(redis, mutant, seed));
    total.mutants[mutant.name] = isFound ? 'found' : 'not found';
  }
  return total;
}

async function isFoundByOrder(redis: RedisClient, mutant: Mutant): Promise<boolean> {
  for (const directed of DIRECTED) if (!isSound(await direct(redis, directed, mutant))) return true;
  return false;
}

async function isFoundByChance(redis: RedisClient, mutant: Mutant, seed: number): Promise<boolean> {
  for (let i = 0; i < MUTANT_RUNS; i++) if (!isSound(await play(redis, seed + i, mutant))) return true;
  return false;
}

export function foundNothing({ false_no, lost, doubled, mutants }: Explored): boolean {
  return false_no + lost + doubled === 0 && Object.values(mutants).every((found) => found === 'found');
}
