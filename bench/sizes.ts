/**
 * `quick` for the hot path in a minute, to compare two versions; `full` for published results. `watchers` receive a broadcast, in
 * `full` nearly the maximum of one process; `restMs` is for the garbage collection after the handshakes; `pressing` and `pressMs` are
 * for `overload`.
 */
export const SIZES = {
  quick: {
    rounds: 20, warmRounds: 3, users: 400, losingRounds: 60, losingMs: 100, rains: 4, claims: 8_000, baselineClaims: 250, expiring: 20_000, transfers: 300_000,
    winners: 10_000, packets: 100_000, requests: 40_000, sockets: 1_000, crowd: 3_000, watchers: 1_000, lookMs: 500, restMs: 500,
    pressing: 1_000, pressMs: 4_000,
  },
  full: {
    rounds: 9, warmRounds: 1, users: 2_000, losingRounds: 60, losingMs: 400, rains: 8, claims: 50_000, baselineClaims: 3_000, expiring: 1_000_000, transfers: 10_000_000,
    winners: 100_000, packets: 1_000_000, requests: 200_000, sockets: 5_000, crowd: 60_000, watchers: 17_500, lookMs: 1_500,
    restMs: 2_000, pressing: 2_000, pressMs: 10_000,
  },
};
