/** The runner's knowledge of a test file. */
export interface Timed {
  path: string;
  /** Whether it opens pages, which keeps a processor busy. */
  opensBrowser: boolean;
}

/**
 * Seconds that the slow ones take on two cores. In a fresh clone vitest has seen none, and would begin with big files,
 * however fast they are.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'test/bin/cli.test.ts': 16,
  'test/bin/deadLetters.test.ts': 17,
  'test/bin/sale.test.ts': 17,
  'test/credit/webhook.test.ts': 53,
  'test/explore/explore.test.ts': 10,
  'test/faults/short.test.ts': 30,
  'test/gateway/durability/replacedMasters.test.ts': 13,
  'test/grab/confirmCluster.test.ts': 15,
  'test/ledger/ledger.test.ts': 25,
  'test/ledger/migrate.test.ts': 12,
  'test/maintenance/auditOrder.test.ts': 12,
  'test/operator/restore.test.ts': 12,
  'test/operator/sale/audit.test.ts': 17,
  'test/operator/sale/lifecycle.test.ts': 14,
  'test/operator/tampering.test.ts': 11,
  'test/orders/webhookOrders.test.ts': 11,
  'test/path/rain.test.ts': 12,
  'test/tidy.test.ts': 13,
  'test/typecheck.test.ts': 30,

  'test/bin/deployment.long.test.ts': 20,
  'test/bin/upCluster.long.test.ts': 158,
  'test/bin/upDemo.long.test.ts': 149,
  'test/browser/console.long.test.ts': 42,
  'test/browser/consoleWalk.long.test.ts': 66,
  'test/browser/hallLooks.long.test.ts': 87,
  'test/browser/page.long.test.ts': 38,
  'test/browser/participant.long.test.ts': 53,
  'test/browser/remote.long.test.ts': 111,
  'test/browser/sale.long.test.ts': 48,
  'test/browser/saleConsole.long.test.ts': 105,
  'test/browser/themeLooks.long.test.ts': 116,
  'test/browser/themes.long.test.ts': 42,
  'test/console/operator/atOnce.long.test.ts': 62,
  'test/deploy/quiet.long.test.ts': 37,
  'test/deploy/rolling/rolling.long.test.ts': 72,
  'test/deploy/rolling/upgrade.long.test.ts': 85,
  'test/deploy/withoutOptional.long.test.ts': 41,
  'test/faults/cluster.long.test.ts': 96,
  'test/faults/failover.long.test.ts': 26,
  'test/faults/flush.long.test.ts': 25,
  'test/faults/lines.long.test.ts': 124,
  'test/faults/money.long.test.ts': 225,
  'test/faults/processes.long.test.ts': 140,
  'test/faults/restart.long.test.ts': 26,
  'test/faults/restore.long.test.ts': 275,
  'test/faults/sale.long.test.ts': 75,
  'test/faults/saleFailover.long.test.ts': 30,
  'test/faults/saleShop.long.test.ts': 46,
  'test/faults/up.long.test.ts': 30,
  'test/gateway/fuzz.long.test.ts': 15,
  'test/grab/model.long.test.ts': 26,
  'test/ledger/pglite.long.test.ts': 55,
  'test/lint.long.test.ts': 35,
  'test/node24.long.test.ts': 55,
  'test/operator/auditMemory.long.test.ts': 69,
  'test/operator/race.long.test.ts': 26,
  'test/operator/restoreCut.long.test.ts': 56,
  'test/operator/topUpCut.long.test.ts': 55,
  'test/platform/embedded/database.long.test.ts': 46,
  'test/platform/redis/movedAddress.long.test.ts': 18,
  'test/platform/process/end.long.test.ts': 63,
  'test/tamper/tamper.long.test.ts': 180,
  'test/walk/evening.long.test.ts': 150,
  'test/walk/newcomer.long.test.ts': 109,
  'test/timeZone.long.test.ts': 135,
};
const SECONDS_WITH_BROWSER = 20;
const SECONDS_OTHERWISE = 4;

export const secondsOf = ({ path, opensBrowser }: Timed): number =>
  SECONDS[path] ?? (opensBrowser ? SECONDS_WITH_BROWSER : SECONDS_OTHERWISE);

/**
 * The order in which files start. Files with a browser and the others, which mostly wait, are each sorted by time,
 * longest first, and mixed so that both kinds end together: pages that are drawn side by side wait for a processor, and
 * tests of waits side by side leave it idle.
 */
export function startOrder<File extends Timed>(files: readonly File[]): File[] {
  const placed = [true, false].flatMap((browser) => {
    const longestFirst = files
      .filter(({ opensBrowser }) => opensBrowser === browser)
      .sort((a, b) => secondsOf(b) - secondsOf(a));
    const all = longestFirst.reduce((sum, file) => sum + secondsOf(file), 0);
    let before = 0;
    return longestFirst.map((file) => {
      const at = before / all;
      before += secondsOf(file);
      return { file, at };
    });
  });
  return placed.sort((a, b) => a.at - b.at).map(({ file }) => file);
}

export const KNOWN_TO_BE_SLOW = Object.keys(SECONDS);
