import { expect, onTestFinished, test } from 'vitest';
import { LOOKS_MAX, startAuditLoop } from '../../src/maintenance/auditLoop.ts';
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
  {
    quietMs,
    pauseFactor = 4,
    onAudit,
    onLook,
  }: {
    quietMs?: number | undefined;
    pauseFactor?: number;
    onAudit?: (id: string) => void | Promise<void>;
    onLook?: () => Promise<void>;
  } = {},
) {
  const audits: string[] = [];
  const { heard, log } = listeningLog();
  const loop = startAuditLoop<Book, Book>({
    redis,
    log,
    owner: 'one',
    pauseMsMin: 20,
    pauseFactor,
    quietMs,
    audited: {
      label: (id) => ({ id }),
      live: () => Promise.resolve(new Map(books)),
      leaseKey: (id) => `lease:${id}`,
      async readCounts(id) {
        await onLook?.();
        return books.get(id)!.counts;
      },
      async audit(id) {
        audits.push(id);
        await onAudit?.(id);
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

/** Longer than a test waits, if a pause were a multiple of a stall. */
const STALL_MS = 1_500;

test('one that stalls for a while keeps none from being audited for many times as long', async () => {
  const books = new Map<string, Book>(['stalled', 'other'].map((id) => [id, { counts: '0', balanced: true }]));
  let stalls = 0;
  const { loop, audits } = watchOver(books, {
    pauseFactor: 20,
    onAudit: async (id) => {
      if (id !== 'stalled' || books.get(id)!.counts === '0') return;
      stalls++;
      const start = performance.now();
      await eventually(() => performance.now() - start >= STALL_MS);
    },
  });
  await eventually(() => loop.seen().size === books.size);
  books.set('stalled', { counts: '1', balanced: true });
  await eventually(() => stalls === 1);
  const before = audits.length;
  books.set('other', { counts: '1', balanced: true });
  await eventually(() => audits.slice(before).includes('other'));
});

test('many are looked at for changes at once, and never all of them', async () => {
  const books = new Map<string, Book>(
    Array.from({ length: TROUBLED }, (_, i) => [`fine-${i}`, { counts: '0', balanced: true }]),
  );
  let now = 0;
  let most = 0;
  const { loop } = watchOver(books, {
    onLook: async () => {
      most = Math.max(most, ++now);
      const start = performance.now();
      await eventually(() => performance.now() - start >= AUDIT_MS, { everyMs: 1 });
      now--;
    },
  });
  await eventually(() => loop.seen().size === books.size);
  await eventually(() => most >= LOOKS_MAX && now === 0);
  expect(most).toBe(LOOKS_MAX);
});
