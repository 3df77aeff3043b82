import type { Stage } from './servers.ts';

/** What the two servers have used since they started. */
export interface Usage {
  /** Processor, microseconds. */
  gatewayUs: number;
  redisUs: number;
  gatewayBytes: number;
  redisBytes: number;
}

/** Read from the servers themselves: it holds on a machine that does other work meanwhile, where the clock on the wall does not. */
export async function usage({ redis, metricsUrl }: Stage): Promise<Usage> {
  const answer = await fetch(metricsUrl);
  if (!answer.ok) throw new Error(`the gateway does not tell what it has used: ${answer.status}`);
  const metrics = await answer.text();
  const [info, memory] = [await redis.info('cpu'), await redis.info('memory')];
  return {
    gatewayUs: figure(metrics, 'process_cpu_seconds_total ') * 1e6,
    gatewayBytes: figure(metrics, 'process_resident_memory_bytes '),
    redisUs: (figure(info, 'used_cpu_user:') + figure(info, 'used_cpu_sys:')) * 1e6,
    redisBytes: figure(memory, 'used_memory:'),
  };
}

function figure(text: string, name: string): number {
  const line = text.split(/\r?\n/).find((candidate) => candidate.startsWith(name));
  const value = line === undefined ? NaN : Number(line.slice(name.length));
  if (!Number.isFinite(value)) throw new Error(`nothing was told about ${name.trim()}`);
  return value;
}
