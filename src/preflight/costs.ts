import { freemem, availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisNow } from '../store/rains.ts';
import { draftRain, loadPackets } from '../store/loadPackets.ts';
import type { Claim } from '../rain/claim.ts';
import { openFilesMax } from '../platform/process/openFiles.ts';
import { openCrowd, type Crowd } from './sockets.ts';
import type { PreflightServers } from './servers.ts';
import { usage, type Usage } from './usage.ts';

/** Measured costs on this machine. Processor times in microseconds, of the servers alone. */
export interface Costs {
  cores: number;
  freeMemoryBytes: number;
  /** Open files that a process may have; absent if unknown. */
  openFilesMax?: number;
  handshakeUs: number;
  socketBytes: number;
  losing: { gatewayUs: number; redisUs: number };
  winning: { gatewayUs: number; redisUs: number };
  preallocatedPerSecond: number;
  packetBytes: number;
  /** By the embedded database, which is slower than a PostgreSQL server. */
  creditedPerSecond: number;
}

/** `rounds`: rains in which every user wins once. `claims`: credited in batches of 500. */
export const TRIAL = { sockets: 1_000, rounds: 8, losingMs: 4_000, packets: 200_000, claims: 5_000 };
const CENTS = 100n;
/** The memory of new sockets needs this time to become stable, ms. */
const SETTLE_MS = 1_000;

/** @param onStep receives the name of each step */
export async function measure(
  servers: PreflightServers,
  trial: typeof TRIAL,
  onStep: (what: string) => void,
): Promise<Costs> {
  onStep('preallocating packets');
  const preallocated = await preallocate(servers, trial.packets);
  onStep(`opening ${trial.sockets} sockets`);
  // The first handshakes cost several times more than later ones, because the code is not compiled yet.
  (await openCrowd(servers.gatewayUrl, servers.secret, Math.ceil(trial.sockets / 3))).leave();
  await sleep(SETTLE_MS);
  const before = await usage(servers);
  const crowd = await openCrowd(servers.gatewayUrl, servers.secret, trial.sockets);
  try {
    await sleep(SETTLE_MS);
    const connected = await usage(servers);
    onStep('winning');
    const winning = await win(servers, crowd, trial.rounds);
    onStep('losing');
    const losing = await lose(servers, crowd, trial.losingMs);
    onStep('crediting');
    const creditedPerSecond = await credit(servers, trial.claims);
    const filesMax = openFilesMax();
    return {
      cores: availableParallelism(),
      freeMemoryBytes: freemem(),
      ...(filesMax !== undefined && { openFilesMax: filesMax }),
      handshakeUs: (connected.gatewayUs - before.gatewayUs) / trial.sockets,
      socketBytes: Math.max(0, connected.gatewayBytes - before.gatewayBytes) / trial.sockets,
      losing,
      winning,
      ...preallocated,
      creditedPerSecond,
    };
  } finally {
    crowd.leave();
  }
}

async function loadRain({ redis, signer }: PreflightServers, rainId: string, packets: number): Promise<void> {
  const now = await redisNow(redis);
  await draftRain(redis, signer, {
    rainId,
    title: rainId,
    shards: 1,
    opensAt: now - 1_000,
    closesAt: now + 3_600_000,
    packets,
  });
  const loaded = await loadPackets(redis, signer, rainId, 1, new BigInt64Array(packets).fill(CENTS), () => {});
  if (!loaded.ok) throw new Error(`the packets could not be preallocated: ${loaded.reason}`);
}

async function preallocate(
  servers: PreflightServers,
  packets: number,
): Promise<Pick<Costs, 'preallocatedPerSecond' | 'packetBytes'>> {
  const before = await usage(servers);
  const began = performance.now();
  await loadRain(servers, 'stock', packets);
  const seconds = (performance.now() - began) / 1_000;
  const after = await usage(servers);
  return { preallocatedPerSecond: packets / seconds, packetBytes: (after.redisBytes - before.redisBytes) / packets };
}

async function win(servers: PreflightServers, crowd: Crowd, rounds: number): Promise<Costs['winning']> {
  const rains = Array.from({ length: rounds }, (_, round) => `win-${round}`);
  for (const rainId of rains) await loadRain(servers, rainId, crowd.size);
  const before = await usage(servers);
  for (const rainId of rains) {
    const codes = await crowd.grabOnce(rainId);
    if (codes.get('0') !== crowd.size)
      throw new Error(
        `${crowd.size} users grabbed as many packets, and the answers were ${JSON.stringify([...codes])}`,
      );
  }
  return each(before, await usage(servers), rounds * crowd.size);
}

async function lose(servers: PreflightServers, crowd: Crowd, ms: number): Promise<Costs['losing']> {
  await loadRain(servers, 'lose', 1);
  await crowd.grabOnce('lose');
  const before = await usage(servers);
  const answers = await crowd.grabFor('lose', ms);
  return each(before, await usage(servers), answers);
}

function each(before: Usage, after: Usage, answers: number): { gatewayUs: number; redisUs: number } {
  return {
    gatewayUs: (after.gatewayUs - before.gatewayUs) / answers,
    redisUs: (after.redisUs - before.redisUs) / answers,
  };
}

async function credit({ ledger }: PreflightServers, claims: number): Promise<number> {
  const rainId = 'credit';
  const closesAt = Date.now() + 3_600_000;
  await ledger.createRain(
    {
      id: rainId,
      title: rainId,
      budgetCents: CENTS * BigInt(claims),
      packets: claims,
      split: {},
      seed: '00'.repeat(32),
      shards: 1,
      opensAt: closesAt - 7_200_000,
      closesAt,
    },
    'preflight',
  );
  const all = Array.from({ length: claims }, (_, i): Claim => ({
    rainId,
    redPacketId: `${rainId}-${i}`,
    amount: '1.00',
    userId: `user-${i}`,
    at: String(closesAt),
  }));
  const began = performance.now();
  for (let i = 0; i < claims; i += 500) await ledger.credit(all.slice(i, i + 500));
  return claims / ((performance.now() - began) / 1_000);
}
