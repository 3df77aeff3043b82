import { compare, cpuPerAnswer, everybodyWins, interleave, nothingLeft, perSecond } from '../../support/interleave.ts';
import type { Measure } from '../measure.ts';

/** Every user reserves one unit, beside every user winning one packet; no worker runs, since it would use Redis too. */
export const reserving: Measure = {
  name: 'sale-reserving',
  async rows(baselineOptions) {
    const costs = await interleave(
      ['sale', 'rain'],
      baselineOptions,
      false,
      baselineOptions.size.rounds,
      everybodyWins(baselineOptions),
    );
    return [
      compare('reservation: server CPU', 'winning grab of a rain', 'µs', costs.sale, costs.rain, cpuPerAnswer, {
        most: 1.25,
      }),
    ];
  },
};

/** Every unit is paid for: the answer that most buyers receive. */
export const soldOut: Measure = {
  name: 'sale-sold-out',
  async rows(baselineOptions) {
    const costs = await interleave(
      ['sale', 'echo', 'http'],
      baselineOptions,
      false,
      baselineOptions.size.losingRounds,
      nothingLeft(baselineOptions, 'gone'),
    );
    return [
      compare('sold-out answer: server CPU', 'ws JSON echo', 'µs', costs.sale, costs.echo, cpuPerAnswer, {
        most: 1.25,
      }),
      compare('sold-out answer: server CPU', 'HTTP flash sale', 'µs', costs.sale, costs.http, cpuPerAnswer, {
        most: 0.2,
      }),
    ];
  },
};

/** The same for buyers without a socket. */
export const soldOutOverHttp: Measure = {
  name: 'sale-http',
  async rows(baselineOptions) {
    const costs = await interleave(
      ['saleHttp', 'http'],
      baselineOptions,
      false,
      baselineOptions.size.losingRounds,
      nothingLeft(baselineOptions, 'gone'),
      perSecond,
    );
    return [
      compare('sold-out answers over HTTP per second', 'HTTP flash sale', '/s', costs.saleHttp, costs.http, perSecond, {
        least: 2,
      }),
      compare(
        'sold-out answer over HTTP: server CPU',
        'HTTP flash sale',
        'µs',
        costs.saleHttp,
        costs.http,
        cpuPerAnswer,
        { most: 0.5 },
      ),
    ];
  },
};
