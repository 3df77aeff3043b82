import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { identify, isAlive, processIdentity, signalProcess, type ProcessIdentity } from './processIdentity.ts';

/**
 * One running system per home. Each holder creates a file `lock.<n>` with the next higher n; the highest one counts.
 *
 *     none, or released, or its process is gone ──▶ link lock.<n+1> ──▶ held ──▶ marked as released
 *
 * Linking fails when the name exists, so if two processes see the same dead holder, only one gets the lock. The highest
 * file is never removed, because a slow third process could otherwise count from an old number.
 */
const record = z.object({ holder: processIdentity, children: z.array(processIdentity), released: z.boolean() });
type LockRecord = z.infer<typeof record>;

export type HomeLock = ReturnType<typeof hold>;
type LockResult = { ok: true; lock: HomeLock } | { ok: false; holder: ProcessIdentity };

function highest(folder: string): { n: number; record: LockRecord | undefined } {
  const numbers = readdirSync(folder)
    .map((name) => /^lock\.(\d{1,15})$/.exec(name)?.[1])
    .filter((text) => text !== undefined)
    .map(Number);
  const n = Math.max(0, ...numbers);
  if (n === 0) return { n, record: undefined };
  try {
    return { n, record: record.parse(JSON.parse(readFileSync(join(folder, `lock.${n}`), 'utf8'))) };
  } catch {
    // The file is complete before it gets its name, so this is damage from outside.
    return { n, record: undefined };
  }
}

/** The live process that holds the home, if any. */
export function lockHolder(folder: string): ProcessIdentity | undefined {
  const { record: last } = highest(folder);
  return last && !last.released && isAlive(last.holder) ? last.holder : undefined;
}

/**
 * Takes the lock, or returns its holder. It waits for the children of a killed predecessor, because two servers in one
 * data folder would destroy it. They end by themselves; one that still runs after `waitMs` (a Redis whose guard was
 * killed too) is killed.
 */
export async function acquireLock(folder: string, { waitMs = 10_000 } = {}): Promise<LockResult> {
  const me = identify(process.pid);
  if (!me) throw new Error('this process does not find itself in the process list');
  for (;;) {
    const { n, record: last } = highest(folder);
    if (last && !last.released && isAlive(last.holder)) return { ok: false, holder: last.holder };
    // The orphans stay recorded until they are gone: if this process crashes now, its successor must wait for them too.
    const orphans = last?.children.filter(isAlive) ?? [];
    const mine: LockRecord = { holder: me, children: orphans, released: false };
    if (!create(folder, n + 1, mine)) continue;
    if (n > 0) rmSync(join(folder, `lock.${n}`), { force: true });
    await outlive(orphans, waitMs);
    return { ok: true, lock: hold(folder, n + 1, { ...mine, children: [] }) };
  }
}

function hold(folder: string, n: number, initial: LockRecord) {
  let current = initial;
  const write = (next: LockRecord) => {
    current = next;
    renameSync(draftOf(folder, next), join(folder, `lock.${n}`));
  };
  return {
    /** Records a child: if this process is killed, the next holder waits for it. */
    adopt(pid: number): void {
      const child = identify(pid);
      if (child) write({ ...current, children: [...current.children.filter(isAlive), child] });
    },
    release(): void {
      write({ ...current, children: current.children.filter(isAlive), released: true });
    },
  };
}

function draftOf(folder: string, content: LockRecord): string {
  const draft = join(folder, `lock-draft.${process.pid}`);
  writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  return draft;
}

function create(folder: string, n: number, content: LockRecord): boolean {
  const draft = draftOf(folder, content);
  try {
    linkSync(draft, join(folder, `lock.${n}`));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Waits for the orphans; those that are left after half of `waitMs` get SIGTERM, and after all of it SIGKILL. */
async function outlive(orphans: readonly ProcessIdentity[], waitMs: number): Promise<void> {
  const start = performance.now();
  for (let left = orphans; (left = left.filter(isAlive)).length > 0; await sleep(50)) {
    const waited = performance.now() - start;
    if (waited > waitMs + 10_000)
      throw new Error(`process ${left[0]!.pid}, a child of a killed predecessor, cannot be stopped`);
    if (waited > waitMs / 2) for (const orphan of left) signalProcess(orphan, waited > waitMs ? 'SIGKILL' : 'SIGTERM');
  }
}
