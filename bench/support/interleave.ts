import { compared, type Row } from '../report/row.ts';
import type { BaselineOptions } from '../measures/measure.ts';
import { isSteady, ratios } from './spread.ts';
import { withContenders, type Contender, type ContenderName, type Cost } from './contender.ts';

type Figure = (cost: Cost) => number;

const answers: Figure = ({ won, lost }) => won + lost;
export const cpuPerAnswer: Figure = (cost) => ((cost.serverMs + cost.redisMs) * 1_000) / answers(cost);
export const redisPerAnswer: Figure = (cost) => (cost.redisMs * 1_000) / answers(cost);
export const perSecond: Figure = (cost) => (answers(cost) * 1_000) / cost.elapsedMs;

/** Share of one core above which a process is saturated. */
const SATURATED = 0.95;
/** Rounds at most, of those asked for, until a figure that depends on the hour is steady. */
const LONGER = 3;

/**
 * All designs run from the first round to the last, and take turns: A B C, A B C … Rounds are short and many, so that a
 * machine that is slow for a second is slow for all designs. The first rounds warm up JIT and caches, and do not count.
 * @param until a figure of wall-clock time: rounds are added until its ratios are steady, to three times as many at
 *   most
 */
export function interleave<N extends ContenderName>(
  names: readonly N[],
  { size, postgres, say }: BaselineOptions,
  crediting: boolean,
  rounds: number,
  round: (contender: Contender, round: number) => Promise<Cost>,
  until?: Figure,
): Promise<Record<N, Cost[]>> {
  const costs = Object.fromEntries(names.map((name) => [name, [] as Cost[]])) as Record<N, Cost[]>;
  return withContenders(names, { postgres, users: size.users, crediting }, async (contenders) => {
    say(`${rounds} rounds of ${names.join(', ')}`);
    const lacks = (done: number) =>
      done < rounds ||
      (until !== undefined && done < rounds * LONGER && !areSteady(Object.values<Cost[]>(costs), until));
    for (let i = 0; lacks(i - size.warmRounds); i++) {
      for (const contender of contenders) {
        const cost = await round(contender, i);
        if (i >= size.warmRounds) costs[contender.name].push(cost);
      }
    }
    return costs;
  });
}

/** A round in which every user gets one of each rain, or one unit in each sale. */
export const everybodyWins =
  ({ size }: BaselineOptions) =>
  async (contender: Contender, round: number): Promise<Cost> => {
    const ids = Array.from({ length: size.rains }, (_, i) => `won-${round}-${i}`);
    await contender.house.stock(ids, size.users);
    const cost = await contender.run({ do: 'walk', rainIds: ids });
    if (cost.won !== size.users * size.rains)
      throw new Error(`${contender.name}: ${cost.won} of ${size.users * size.rains} won`);
    return cost;
  };

/** A round in which nothing is left, and every user asks again and again. */
export const nothingLeft =
  ({ size }: BaselineOptions, id: string) =>
  async (contender: Contender, round: number): Promise<Cost> => {
    if (round === 0) {
      await contender.house.stock([id], 1);
      await contender.house.takeLast(id);
      await contender.users.ask({ do: 'enter', rainId: id });
    }
    const cost = await contender.run({ do: 'repeat', rainId: id, forMs: size.losingMs });
    // A closed connection would never answer the next round.
    if (cost.gone > 0 || cost.lost === 0)
      throw new Error(
        `${contender.name}: ${cost.lost} answered, ${cost.busy} told "busy", ${cost.gone} connections closed`,
      );
    return cost;
  };

export function compare(
  measure: string,
  against: string,
  unit: string,
  ours: readonly Cost[],
  theirs: readonly Cost[],
  figure: Figure,
  target: NonNullable<Row['target']>,
): Row {
  return {
    ...compared({ measure, against, unit, target }, ours.map(figure), theirs.map(figure)),
    spoilt: saturation(ours) ?? saturation(theirs),
    unsteady: figure === perSecond && !areSteady([ours, theirs], figure),
  };
}

function areSteady([ours, ...others]: readonly (readonly Cost[])[], figure: Figure): boolean {
  return others.every((theirs) => isSteady(ratios(ours!.map(figure), theirs.map(figure))));
}

/**
 * Whether the driver was the bottleneck and not the server: then the figures are those of the driver, and the server
 * got smaller batches.
 */
function saturation(costs: readonly Cost[]): string | undefined {
  const share = (of: 'cpuMs' | 'serverMs') => sumOf(costs, of) / sumOf(costs, 'elapsedMs');
  const [driver, server] = [share('cpuMs'), share('serverMs')];
  if (driver < SATURATED || server >= driver) return undefined;
  return `the load driver was saturated: ${Math.round(driver * 100)} % of a core, the server ${Math.round(server * 100)} %`;
}

const sumOf = (costs: readonly Cost[], of: 'cpuMs' | 'serverMs' | 'elapsedMs') =>
  costs.reduce((sum, cost) => sum + cost[of], 0);
