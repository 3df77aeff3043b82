import type { GatewayHeartbeat } from '../../store/gatewayHeartbeat.ts';

/** Computes rates per second from the counters in the gateways' heartbeats. */
export class Rates {
  #known = new Map<string, { heartbeat: GatewayHeartbeat; rates: Record<string, number> }>();

  /** Over all gateways; the answers by code. */
  update(heartbeats: readonly GatewayHeartbeat[]): {
    grabsPerSecond: number;
    answersPerSecond: Record<string, number>;
  } {
    const sums: Record<string, number> = {};
    this.#known = new Map(
      heartbeats.map((heartbeat) => [heartbeat.id, { heartbeat, rates: this.#ratesOf(heartbeat) }]),
    );
    for (const { rates } of this.#known.values()) {
      for (const [code, rate] of Object.entries(rates)) sums[code] = (sums[code] ?? 0) + rate;
    }
    const answersPerSecond = Object.fromEntries(Object.entries(sums).map(([code, rate]) => [code, round(rate)]));
    return {
      grabsPerSecond: round(Object.values(answersPerSecond).reduce((sum, rate) => sum + rate, 0)),
      answersPerSecond,
    };
  }

  /** A new gateway has no rates yet. A gateway without a new heartbeat keeps its last rates: 0 would be wrong. */
  #ratesOf({ id, at, answers }: GatewayHeartbeat): Record<string, number> {
    const before = this.#known.get(id);
    if (!before) return {};
    const seconds = (at - before.heartbeat.at) / 1_000;
    if (seconds <= 0) return before.rates;
    return Object.fromEntries(
      Object.entries(answers).map(([code, count]) => [
        code,
        Math.max(0, count - (before.heartbeat.answers[code] ?? 0)) / seconds,
      ]),
    );
  }
}

export function round(rate: number): number {
  return Math.round(rate * 10) / 10;
}
