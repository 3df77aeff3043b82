import {
  compare,
  cpuPerAnswer,
  everybodyWins,
  interleave,
  nothingLeft,
  perSecond,
  redisPerAnswer,
} from '../support/interleave.ts';
import type { Measure } from './measure.ts';

/** No packets left: the answer that most users receive. */
export const losing: Measure = {
  name: 'losing',
  async rows(baselineOptions) {
    const costs = await interleave(
      ['rain', 'ticketed', 'echo', 'evalsha', 'socketIo', 'http'],
      baselineOptions,
      false,
      baselineOptions.size.losingRounds,
      nothingLeft(baselineOptions, 'gone'),
    );
    return [
      compare('losing answer: server CPU', 'ws JSON echo', 'µs', costs.rain, costs.echo, cpuPerAnswer, { most: 1.25 }),
      compare(
        'losing answer to a question with ticket: server CPU',
        'ws JSON echo',
        'µs',
        costs.ticketed,
        costs.echo,
        cpuPerAnswer,
        { most: 1.25 },
      ),
      compare('losing answer: server CPU', 'ws, one EVALSHA per grab', 'µs', costs.rain, costs.evalsha, cpuPerAnswer, {
        most: 1,
      }),
      compare('losing answer: server CPU', 'Socket.IO', 'µs', costs.rain, costs.socketIo, cpuPerAnswer, { most: 0.5 }),
      compare('losing answer: server CPU', 'HTTP flash sale', 'µs', costs.rain, costs.http, cpuPerAnswer, {
        most: 0.25,
      }),
    ];
  },
};

/** Every user wins, every write is synced before its answer, and the wins are credited meanwhile. */
export const winning: Measure = {
  name: 'winning',
  async rows(baselineOptions) {
    const costs = await interleave(
      ['rain', 'socketIo'],
      baselineOptions,
      true,
      baselineOptions.size.rounds,
      everybodyWins(baselineOptions),
      perSecond,
    );
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
    const costs = await interleave(
      ['rain', 'evalsha'],
      baselineOptions,
      false,
      baselineOptions.size.rounds,
      everybodyWins(baselineOptions),
    );
    return [
      compare('winning answer: server CPU', 'ws, one EVALSHA per grab', 'µs', costs.rain, costs.evalsha, cpuPerAnswer, {
        most: 1,
      }),
      compare('Redis CPU per win', 'ws, one EVALSHA per grab', 'µs', costs.rain, costs.evalsha, redisPerAnswer, {
        most: 0.6,
      }),
    ];
  },
};
