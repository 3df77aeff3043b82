import { parseAllDocuments } from 'yaml';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import { delivered } from '../site.ts';

/** The time that Kubernetes grants a pod that it replaces, by the delivered manifest, ms. */
interface Grace {
  /** From the end of its endpoint to SIGTERM. */
  preStopMs: number;
  /** From the same moment to SIGKILL. */
  killedAfterMs: number;
  /** From the readiness of a new pod to the end of the next old one. */
  betweenMs: number;
}

export function graceOf(server: 'gateway' | 'worker'): Grace {
  const documents = parseAllDocuments(delivered(`kubernetes/base/${server}.yaml`)).map(
    (document) => document.toJS() as { kind: string },
  );
  const { spec } = documents.find(({ kind }) => kind === 'Deployment') as unknown as Deployment;
  const { terminationGracePeriodSeconds, containers } = spec!.template.spec!;
  return {
    preStopMs: (containers[0]!.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1_000,
    killedAfterMs: terminationGracePeriodSeconds! * 1_000,
    betweenMs: (spec!.minReadySeconds ?? 0) * 1_000,
  };
}
