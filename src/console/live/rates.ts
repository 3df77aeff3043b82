import type { GatewayHeartbeat } from '../../store/gatewayHeartbeat.ts';

/** What the gateways have counted between two looks, a second. */
interface Answered {
  grabsPerSecond: number;
  answersPerSecond: Record<string, number>;
}

/** Turns what every gateway has counted since its start into what all of them do a second. */
export class Rates {
  #known = new Map<string, { told: GatewayHeartbeat; rates: Record<string, number> }>();

  look(heard: readonly GatewayHeartbeat[]): Answered {
    const answersPerSecond: Record<string, number> = {};
    this.#known = new Map(heard.map((told) => [told.id, { told, rates: this.#ratesOf(told) }]));
    for (const { rates } of this.#known.values()) {
      for (const [code, rate] of Object.entries(rates)) answersPerSecond[code] = (answersPerSecond[code] ?? 0) + rate;
    }
    for (const code of Object.keys(answersPerSecond)) answersPerSecond[code] = round(answersPerSecond[code]!);
    return { grabsPerSecond: round(Object.values(answersPerSecond).reduce((sum, rate) => sum + rate, 0)), answersPerSecond };
  }

  /** Of one that is seen for the first time nothing is known; one that has said nothing new goes on as before, since 0 would be a dip that never was. */
  #ratesOf({ id, at, answers }: GatewayHeartbeat): Record<string, number> {
    const before = this.#known.get(id);
    if (!before) return {};
    const seconds = (at - before.told.at) / 1_000;
    if (seconds <= 0) return before.rates;
    return Object.fromEntries(Object.entries(answers).map(([code, count]) => [code, Math.max(0, count - (before.told.answers[code] ?? 0)) / seconds]));
  }
}

export function round(rate: number): number {
  return Math.round(rate * 10) / 10;
}
