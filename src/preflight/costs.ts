import { freemem, availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { redisNow } from '../store/rains.ts';
import { draftRain, loadPackets } from '../store/loadPackets.ts';
import type { Claim } from '../rain/claim.ts';
import { gather, type Crowd } from './sockets.ts';
import type { Stage } from './servers.ts';
import { usage, type Usage } from './usage.ts';

/** What one of everything costs on this machine. Processor times in microseconds, of the servers alone. */
export interface Costs {
  cores: number;
  freeMemoryBytes: number;
  /** Open files of a process; absent where the system does not tell. */
  openFilesMax?: number;
  handshakeUs: number;
  socketBytes: number;
  losing: { gatewayUs: number; redisUs: number };
  winning: { gatewayUs: number; redisUs: number };
  preallocatedPerSecond: number;
  packetBytes: number;
  /** By the embedded database, which takes fewer than a PostgreSQL does. */
  creditedPerSecond: number;
}

interface Trial {
  sockets: number;
  /** Rains in which each of the crowd wins once. */
  rounds: number;
  losingMs: number;
  packets: number;
  /** Claims credited, by 500. */
  claims: number;
}

export const TRIAL: Trial = { sockets: 1_000, rounds: 8, losingMs: 4_000, packets: 200_000, claims: 5_000 };
const CENTS = 100n;
/** Memory of sockets that have just been opened is still being moved about. */
const SETTLE_MS = 1_000;

/** @param tell what is measured now */
export async function measure(stage: Stage, trial: Trial, tell: (what: string) => void): Promise<Costs> {
  tell('preallocating packets');
  const stocked = await preallocate(stage, trial.packets);
  tell(`opening ${trial.sockets} sockets`);
  // The first handshakes cost several times what later ones do: code that has never run before.
  (await gather(stage.gatewayUrl, stage.secret, Math.ceil(trial.sockets / 3))).leave();
  await sleep(SETTLE_MS);
  const before = await usage(stage);
  const crowd = await gather(stage.gatewayUrl, stage.secret, trial.sockets);
  try {
    await sleep(SETTLE_MS);
    const seated = await usage(stage);
    tell('winning');
    const winning = await win(stage, crowd, trial.rounds);
    tell('losing');
    const losing = await lose(stage, crowd, trial.losingMs);
    tell('crediting');
    const creditedPerSecond = await credit(stage, trial.claims);
    const openFilesMax = openFiles();
    return {
      cores: availableParallelism(), freeMemoryBytes: freemem(), ...(openFilesMax !== undefined && { openFilesMax }),
      handshakeUs: (seated.gatewayUs - before.gatewayUs) / trial.sockets, socketBytes: Math.max(0, seated.gatewayBytes - before.gatewayBytes) / trial.sockets,
      losing, winning, ...stocked, creditedPerSecond,
    };
  } finally {
    crowd.leave();
  }
}

async function stock({ redis }: Stage, rainId: string, packets: number): Promise<void> {
  const now = await redisNow(redis);
  await draftRain(redis, { rainId, title: rainId, shards: 1, opensAt: now - 1_000, closesAt: now + 3_600_000, packets });
  const loaded = await loadPackets(redis, rainId, 1, new BigInt64Array(packets).fill(CENTS), () => {});
  if (!loaded.ok) throw new Error(`the packets could not be preallocated: ${loaded.reason}`);
}

async function preallocate(stage: Stage, packets: number): Promise<Pick<Costs, 'preallocatedPerSecond' | 'packetBytes'>> {
  const before = await usage(stage);
  const began = performance.now();
  await stock(stage, 'stock', packets);
  const seconds = (performance.now() - began) / 1_000;
  const after = await usage(stage);
  return { preallocatedPerSecond: packets / seconds, packetBytes: (after.redisBytes - before.redisBytes) / packets };
}

async function win(stage: Stage, crowd: Crowd, rounds: number): Promise<Costs['winning']> {
  const rains = Array.from({ length: rounds }, (_, round) => `win-${round}`);
  for (const rainId of rains) await stock(stage, rainId, crowd.size);
  const before = await usage(stage);
  for (const rainId of rains) {
    const codes = await crowd.askOnce(rainId);
    if (codes.get('0') !== crowd.size) throw new Error(`${crowd.size} users asked for as many packets, and heard ${JSON.stringify([...codes])}`);
  }
  return each(before, await usage(stage), rounds * crowd.size);
}

async function lose(stage: Stage, crowd: Crowd, ms: number): Promise<Costs['losing']> {
  await stock(stage, 'lose', 1);
  await crowd.askOnce('lose');
  const before = await usage(stage);
  const answers = await crowd.askFor('lose', ms);
  return each(before, await usage(stage), answers);
}

function each(before: Usage, after: Usage, answers: number): { gatewayUs: number; redisUs: number } {
  return { gatewayUs: (after.gatewayUs - before.gatewayUs) / answers, redisUs: (after.redisUs - before.redisUs) / answers };
}

async function credit({ ledger }: Stage, claims: number): Promise<number> {
  const rainId = 'credit';
  const closesAt = Date.now() + 3_600_000;
  await ledger.createRain({
    id: rainId, title: rainId, budgetCents: CENTS * BigInt(claims), packets: claims, split: {}, seed: '00'.repeat(32), shards: 1, opensAt: closesAt - 7_200_000, closesAt,
  }, 'preflight');
  const all = Array.from({ length: claims }, (_, i): Claim => ({ rainId, redPacketId: `${rainId}-${i}`, amount: '1.00', userId: `user-${i}`, at: String(closesAt) }));
  const began = performance.now();
  for (let i = 0; i < claims; i += 500) await ledger.credit(all.slice(i, i + 500));
  return claims / ((performance.now() - began) / 1_000);
}

function openFiles(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
