import type { PreflightServers } from './servers.ts';

/** Usage of the two servers since their start. */
export interface Usage {
  /** Processor time, microseconds. */
  gatewayUs: number;
  redisUs: number;
  gatewayBytes: number;
  redisBytes: number;
}

/** The servers report their own processor time, which is valid even while the machine does other work. */
export async function usage({ redis, metricsUrl }: PreflightServers): Promise<Usage> {
  const answer = await fetch(metricsUrl);
  if (!answer.ok) throw new Error(`the gateway does not report its usage: HTTP ${answer.status}`);
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
  if (!Number.isFinite(value)) throw new Error(`no value of ${name.trim()}`);
  return value;
}
