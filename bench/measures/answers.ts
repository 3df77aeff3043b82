import { withContenders, type Contender, type ContenderName, type Cost } from '../support/contender.ts';
import { compared, type Row } from '../report/row.ts';
import type { Measure, BaselineOptions } from './measure.ts';

type Figure = (cost: Cost) => number;

const answers: Figure = ({ won, lost }) => won + lost;
const cpuPerAnswer: Figure = (cost) => (cost.serverMs + cost.redisMs) * 1_000 / answers(cost);
const redisPerAnswer: Figure = (cost) => cost.redisMs * 1_000 / answers(cost);
const perSecond: Figure = (cost) => answers(cost) * 1_000 / cost.elapsedMs;

/** Share of one core above which a process is saturated. */
const SATURATED = 0.95;

/** No packets left: the answer that most users receive. */
export const losing: Measure = {
  name: 'losing',
  async rows(baselineOptions) {
    const { size } = baselineOptions;
    const rainId = 'gone';
    const costs = await interleave(['rain', 'ticketed', 'echo', 'evalsha', 'socketIo', 'http'], baselineOptions, false, size.losingRounds, async (contender, round) => {
      if (round === 0) {
        await contender.house.stock([rainId], 1);
        await contender.house.takeLast(rainId);
        await contender.users.ask({ do: 'enter', rainId });
      }
      return contender.run({ do: 'repeat', rainId, forMs: size.losingMs });
    });
    return [
      compare('losing answer: server CPU', 'ws JSON echo', 'µs', costs.rain, costs.echo, cpuPerAnswer, { most: 1.25 }),
      compare('losing answer to a question with ticket: server CPU', 'ws JSON echo', 'µs', costs.ticketed, costs.echo, cpuPerAnswer, { most: 1.25 }),
      compare('losing answer: server CPU', 'ws, one EVALSHA per grab', 'µs', costs.rain, costs.evalsha, cpuPerAnswer, { most: 1 }),
      compare('losing answer: server CPU', 'Socket.IO', 'µs', costs.rain, costs.socketIo, cpuPerAnswer, { most: 0.5 }),
      compare('losing answers per second', 'HTTP flash sale', '/s', costs.rain, costs.http, perSecond, { least: 10 }),
    ];
  },
};

/** Every user wins, every write is synced before its answer, and the wins are credited meanwhile. */
export const winning: Measure = {
  name: 'winning',
  async rows(baselineOptions) {
    const costs = await interleave(['rain', 'socketIo'], baselineOptions, true, baselineOptions.size.rounds, everybodyWins(baselineOptions));
    return [
      compare('winning answer: server CPU', 'Socket.IO', 'µs', costs.rain, costs.socketIo, cpuPerAnswer, { most: 0.5 }),
      compare('winning answers per second', 'Socket.IO', '/s', costs.rain, costs.socketIo, perSecond, { least: 2 }),
    ];
  },
};

/** The same without credit workers, which would use Redis too: the gain of one call for many grabs. */
export const batching: Measure = {
  name: 'batching',
  async rows(baselineOptions) {
    const costs = await interleave(['rain', 'evalsha'], baselineOptions, false, baselineOptions.size.rounds, everybodyWins(baselineOptions));
    return [
      compare('winning answer: server CPU', 'ws, one EVALSHA per grab', 'µs', costs.rain, costs.evalsha, cpuPerAnswer, { most: 1 }),
      compare('Redis CPU per win', 'ws, one EVALSHA per grab', 'µs', costs.rain, costs.evalsha, redisPerAnswer, { most: 0.6 }),
    ];
  },
};

const everybodyWins = ({ size }: BaselineOptions) => async (contender: Contender, round: number): Promise<Cost> => {
  const rainIds = Array.from({ length: size.rains }, (_, i) => `won-${round}-${i}`);
  await contender.house.stock(rainIds, size.users);
  const cost = await contender.run({ do: 'walk', rainIds });
  if (cost.won !== size.users * size.rains) throw new Error(`${contender.name}: ${cost.won} of ${size.users * size.rains} won`);
  return cost;
};

/**
 * All designs run from the first round to the last, and take turns: A B C, A B C … Rounds are short and many, so that a machine that
 * is slow for a second is slow for all designs. The first rounds warm up JIT and caches, and do not count.
 */
function interleave<N extends ContenderName>(
  names: readonly N[], { size, postgres, say }: BaselineOptions, crediting: boolean, rounds: number, round: (contender: Contender, round: number) => Promise<Cost>,
): Promise<Record<N, Cost[]>> {
  const costs = Object.fromEntries(names.map((name) => [name, [] as Cost[]])) as Record<N, Cost[]>;
  return withContenders(names, { postgres, users: size.users, crediting }, async (contenders) => {
    say(`${rounds} rounds of ${names.join(', ')}`);
    for (let i = 0; i < size.warmRounds + rounds; i++) {
      for (const contender of contenders) {
        const cost = await round(contender, i);
        if (i >= size.warmRounds) costs[contender.name].push(cost);
      }
    }
    return costs;
  });
}

function compare(measure: string, against: string, unit: string, ours: readonly Cost[], theirs: readonly Cost[], figure: Figure, target: NonNullable<Row['target']>): Row {
  return { ...compared({ measure, against, unit, target }, ours.map(figure), theirs.map(figure)), spoilt: saturation(ours) ?? saturation(theirs) };
}

/** Whether the driver was the bottleneck and not the server: then the figures are those of the driver, and the server got smaller batches. */
function saturation(costs: readonly Cost[]): string | undefined {
  const share = (of: 'cpuMs' | 'serverMs') => sumOf(costs, of) / sumOf(costs, 'elapsedMs');
  const [driver, server] = [share('cpuMs'), share('serverMs')];
  if (driver < SATURATED || server >= driver) return undefined;
  return `the load driver was saturated: ${Math.round(driver * 100)} % of a core, the server ${Math.round(server * 100)} %`;
}

const sumOf = (costs: readonly Cost[], of: 'cpuMs' | 'serverMs' | 'elapsedMs') => costs.reduce((sum, cost) => sum + cost[of], 0);
