import { z } from 'zod';
import { compiledEntry } from '../../../src/platform/process/childProcess.ts';
import { launch, type Deployment } from '../../faults/deployment.ts';
import { Part } from '../../faults/systemPart.ts';

const RAIN = compiledEntry('bin/rain.js');

/** Gateways and workers that come and go beside each other, at the stores of one deployment. */
export interface Fleet {
  /** Resolves when it is ready. @param entry the `rain.js` of the version that it is, by default this one */
  gateway(port: number, entry?: string): Promise<Part>;
  worker(entry?: string): Promise<Part>;
  /** Ends of processes that nobody asked for. */
  accidents: readonly string[];
  end(): Promise<void>;
}

export function openFleet({ env }: Deployment, extra: Record<string, string> = {}): Fleet {
  const parts: Part[] = [];
  const accidents: string[] = [];
  const start = async (command: 'gateway' | 'worker', own: Record<string, string>, entry = RAIN) => {
    const name = `${command}-${parts.length}`;
    const part = new Part(name, () => launch({ name, entry, args: [command], env: { ...env, ...extra, ...own }, logs: env['RAIN_HOME']!, facts: z.object({}) }), (sentence) => accidents.push(sentence));
    parts.push(part);
    await part.start();
    return part;
  };
  return {
    gateway: (port, entry) => start('gateway', { GATEWAY_PORT: String(port) }, entry),
    worker: (entry) => start('worker', {}, entry),
    accidents,
    async end() { await Promise.all(parts.map((part) => part.kill())); },
  };
}
