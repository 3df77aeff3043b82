import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts';
import type { Job } from 'kubernetes-types/batch/v1.d.ts';
import type {
  ConfigMap,
  Container,
  Namespace,
  PodSpec,
  ResourceRequirements,
  Secret,
  Service,
} from 'kubernetes-types/core/v1.d.ts';
import type { LabelSelector, ObjectMeta } from 'kubernetes-types/meta/v1.d.ts';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts';

type Named = ObjectMeta & { name: string };

/** Kinds that operators define themselves; only the fields that are looked at here. */
interface Custom {
  metadata: Named;
  spec: {
    clusterSize?: number;
    redisConfig?: { additionalRedisConfig: string };
    redisSentinelConfig?: { redisReplicationName: string; masterGroupName: string };
    kubernetesConfig?: {
      redisSecret?: { name: string; key: string };
      resources?: ResourceRequirements;
    };
    redisLeader?: { redisConfig?: { additionalRedisConfig: string } };
    bootstrap?: { initdb: { database: string; owner: string; secret: { name: string } } };
    managed?: { roles: { name: string; passwordSecret: { name: string } }[] };
    jobLabel?: string;
    selector?: LabelSelector;
    podMetricsEndpoints?: { port: string }[];
  };
}

/** HTTPRoute of the Gateway API. */
interface Route {
  metadata: Named;
  spec: {
    parentRefs: { name: string }[];
    hostnames: string[];
    rules: {
      matches: { path: { type: string; value: string } }[];
      filters: { type: string }[];
      timeouts: { request: string };
      backendRefs: { name: string; port: number }[];
    }[];
  };
}

/** ScaledObject of KEDA. */
interface Scaled {
  metadata: Named;
  spec: {
    scaleTargetRef: { name: string };
    minReplicaCount: number;
    maxReplicaCount: number;
    advanced: { horizontalPodAutoscalerConfig: { behavior: object } };
    triggers: { type: string; metadata: Record<string, string> }[];
  };
}

/** ExternalSecret of the External Secrets Operator. */
interface External {
  metadata: Named;
  spec: {
    target: { name: string; creationPolicy: string; deletionPolicy: string };
    dataFrom: { extract: { key: string } }[];
  };
}

interface Kinds {
  Namespace: Namespace;
  ConfigMap: ConfigMap;
  Secret: Secret;
  Service: Service;
  Deployment: Deployment;
  Job: Job;
  Ingress: Ingress;
  NetworkPolicy: NetworkPolicy;
  PodDisruptionBudget: PodDisruptionBudget;
  HorizontalPodAutoscaler: HorizontalPodAutoscaler;
  RedisReplication: Custom;
  RedisSentinel: Custom;
  RedisCluster: Custom;
  Cluster: Custom;
  PodMonitor: Custom;
  HTTPRoute: Route;
  ScaledObject: Scaled;
  ExternalSecret: External;
}
type Kind = keyof Kinds;

/** One document of what kustomize renders. That it is of its kind's type is what `typeErrors` finds out. */
export type KubernetesObject = {
  [K in Kind]: Omit<Kinds[K], 'kind' | 'apiVersion'> & { kind: K; apiVersion: string };
}[Kind];

/** Where kubernetes-types declares a kind of Kubernetes' own; the others are their operators'. */
export const TYPE_OF: Partial<Record<Kind, string>> = {
  Namespace: 'core/v1',
  ConfigMap: 'core/v1',
  Secret: 'core/v1',
  Service: 'core/v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  Ingress: 'networking/v1',
  NetworkPolicy: 'networking/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
};

export function all<K extends Kind>(objects: readonly KubernetesObject[], kind: K): Kinds[K][] {
  return objects.filter((object) => object.kind === kind) as unknown as Kinds[K][];
}

export function named<K extends Kind>(objects: readonly KubernetesObject[], kind: K, name: string): Kinds[K] {
  const found = all(objects, kind).find(({ metadata }) => metadata?.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** The pods of a Deployment or a Job. */
export interface Pods {
  name: string;
  labels: Record<string, string>;
  spec: PodSpec;
}

export function podsOf(objects: readonly KubernetesObject[]): Pods[] {
  return [...all(objects, 'Deployment'), ...all(objects, 'Job')].map(({ metadata, spec }) => ({
    name: metadata!.name!,
    labels: { ...spec!.template.metadata!.labels },
    spec: spec!.template.spec!,
  }));
}

export const containersOf = ({ spec }: Pods): Container[] => [...(spec.initContainers ?? []), ...spec.containers];

/** The labels that operators give to the pods of what they are asked for. */
export function operatorsPods(objects: readonly KubernetesObject[]): Record<string, string>[] {
  return [
    ...all(objects, 'RedisReplication').map(({ metadata: { name } }) => ({ app: name })),
    ...all(objects, 'RedisSentinel').map(({ metadata: { name } }) => ({ app: `${name}-sentinel` })),
    ...all(objects, 'RedisCluster').flatMap(({ metadata: { name } }) => [
      { app: `${name}-leader` },
      { app: `${name}-follower` },
    ]),
    ...all(objects, 'Cluster').map(({ metadata: { name } }) => ({ 'cnpg.io/cluster': name })),
  ];
}
