import { expect, onTestFinished, test } from 'vitest';
import { startAuditLoop } from '../../src/maintenance/auditLoop.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { openRedis } from '../support/rain.ts';

const { redis } = await openRedis();

/** Sixty that stay unbalanced, and each is audited for a while. */
const TROUBLED = 60;
const AUDIT_MS = 5;

interface Book {
  counts: string;
  balanced: boolean;
}

function watchOver(
  books: Map<string, Book>,
  { quietMs, onAudit }: { quietMs?: number | undefined; onAudit?: () => void } = {},
) {
  const audits: string[] = [];
  const { heard, log } = listeningLog();
  const loop = startAuditLoop<Book, Book>({
    redis,
    log,
    owner: 'one',
    pauseMsMin: 20,
    pauseFactor: 4,
    quietMs,
    audited: {
      label: (id) => ({ id }),
      live: () => Promise.resolve(new Map(books)),
      leaseKey: (id) => `lease:${id}`,
      readCounts: (id) => Promise.resolve(books.get(id)!.counts),
      async audit(id) {
        audits.push(id);
        onAudit?.();
        const start = performance.now();
        await eventually(() => performance.now() - start >= AUDIT_MS, { everyMs: 1 });
        return { ...books.get(id)! };
      },
      isBalanced: ({ balanced }) => balanced,
      isAtRest: () => true,
      report: () => {},
      respond: () => Promise.resolve(0),
      forget: () => {},
    },
  });
  onTestFinished(async () => {
    await loop.close();
    expect(heard).toEqual([]);
  });
  return { loop, audits };
}

test.for([
  ['that stay unbalanced', undefined],
  ['that wait for too long', 1],
] as const)('one that has changed, or is new, is audited before many %s', async ([, quietMs]) => {
  const books = new Map<string, Book>(
    Array.from({ length: TROUBLED }, (_, i) => [`troubled-${i}`, { counts: '0', balanced: false }]),
  );
  books.set('fine', { counts: '0', balanced: true });
  const { loop, audits } = watchOver(books, { quietMs });
  await eventually(() => loop.seen().size === books.size);
  for (const id of ['fine', 'new']) {
    const before = audits.length;
    books.set(id, { counts: '1', balanced: true });
    await eventually(() => loop.seen().get(id)?.audit.counts === '1');
    // A few are audited until all are looked at again, never a whole round of them.
    expect(audits.slice(before).indexOf(id)).toBeLessThan(TROUBLED / 2);
  }
});

test('many that change all the time keep none from being audited again', async () => {
  const books = new Map<string, Book>([['unchanged', { counts: '0', balanced: false }]]);
  const change = () => {
    for (let i = 0; i < TROUBLED; i++) books.set(`busy-${i}`, { counts: `${audits.length}`, balanced: true });
  };
  const { loop, audits } = watchOver(books, { quietMs: 200, onAudit: () => change() });
  await eventually(() => audits.filter((id) => id === 'unchanged').length >= 4);
  // Nor does it keep any of them from that.
  await eventually(() => loop.seen().size === TROUBLED + 1);
});
