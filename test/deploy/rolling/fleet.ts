import { z } from 'zod';
import { compiledEntry } from '../../../src/platform/process/childProcess.ts';
import { launch, type Deployment } from '../../faults/deployment.ts';
import { Part } from '../../faults/systemPart.ts';

interface Pod {
  /** The `rain.js` of its version; default: of this one. */
  entry?: string;
  env?: Record<string, string>;
}

/**
 * Gateways and workers that come and go beside each other, at the stores of one deployment. Each resolves when it is
 * ready.
 */
interface Fleet {
  gateway(port: number, pod?: Pod): Promise<Part>;
  worker(pod?: Pod): Promise<Part>;
  /** Ends of processes that nobody asked for. */
  accidents: readonly string[];
  end(): Promise<void>;
}

export function openFleet(deployment: Deployment): Fleet {
  const parts: Part[] = [];
  const accidents: string[] = [];
  const start = async (command: 'gateway' | 'worker', { entry = compiledEntry('bin/rain.js'), env = {} }: Pod) => {
    const name = `${command}-${parts.length}`;
    const part = new Part(
      name,
      () =>
        launch({
          name,
          entry,
          args: [command],
          env: { ...deployment.env, ...env },
          logs: deployment.env['RAIN_HOME']!,
          facts: z.object({}),
        }),
      (sentence) => accidents.push(sentence),
    );
    parts.push(part);
    await part.start();
    return part;
  };
  return {
    gateway: (port, pod = {}) => start('gateway', { ...pod, env: { GATEWAY_PORT: String(port), ...pod.env } }),
    worker: (pod = {}) => start('worker', pod),
    accidents,
    async end() {
      await Promise.all(parts.map((part) => part.kill()));
    },
  };
}
