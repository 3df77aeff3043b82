import type { Container } from 'kubernetes-types/core/v1.d.ts';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { reconnectWindowMs } from '../../../src/gateway/sockets/drain.ts';
import { configSchema, ConfigError, loadConfig, type Config, type Need } from '../../../src/platform/config.ts';
import { SERVER_DEADLINE_MS } from '../../../src/platform/process/shutdown.ts';
import { all, containersOf, named, podsOf, type KubernetesObject, type Pods } from './objects.ts';

/** The facts that the manifests must agree with. */
export interface Facts {
  secrets: ReadonlyMap<string, Record<string, string>>;
  version: string;
  /** The number of the user that the Dockerfile names. */
  user: number;
  /** The image of PostgreSQL in the compose file. */
  postgresImage: string;
  /** Names of gauges without labels that a gateway exports. */
  gatewayGauges: readonly string[];
}

/** As src/bin/commands/serve.ts asks for them. */
const NEEDS: Record<string, readonly Need[]> = {
  gateway: ['REDIS_URL', 'SIGNING_SECRET', 'JWT'],
  worker: ['REDIS_URL', 'DATABASE_URL', 'SIGNING_SECRET'],
  console: ['REDIS_URL', 'DATABASE_URL', 'SIGNING_SECRET', 'JWT'],
  migrate: ['DATABASE_URL'],
};
/** After its deadline a server may take as long as this until it is gone, ms. */
const RESERVE_MS = 2_000;
/** docs/how-to/plan-capacity.md. */
const GATEWAY_MIB = 150;
const PLAYER_KIB = 8;

export const isOurs = ({ image = '' }: Container): boolean => /(^|\/)red-packet-rain(:|$)/.test(image);
/** `postgres` in PostgreSQL's own image. */
const POSTGRES_USER = 999;

/** The environment of a container; a reference that leads nowhere is a complaint. */
function environmentOf(
  objects: readonly KubernetesObject[],
  { name: container, env = [], envFrom = [] }: Container,
  { secrets }: Pick<Facts, 'secrets'>,
): { environment: Record<string, string>; complaints: string[] } {
  const environment: Record<string, string> = {};
  const complaints: string[] = [];
  for (const { configMapRef } of envFrom) {
    const map = all(objects, 'ConfigMap').find(({ metadata }) => metadata!.name === configMapRef?.name);
    if (!map) complaints.push(`${container}: there is no ConfigMap ${configMapRef?.name}`);
    Object.assign(environment, map?.data);
  }
  for (const { name, value, valueFrom } of env) {
    const { name: secret = '', key = '' } = valueFrom?.secretKeyRef ?? {};
    const given = valueFrom ? secrets.get(secret)?.[key] : value;
    if (given === undefined) complaints.push(`${container}: ${name} comes from ${secret}/${key}, which nobody makes`);
    else environment[name] = given;
  }
  return { environment, complaints };
}

export function settingsOf(
  objects: readonly KubernetesObject[],
  container: Container,
  facts: Pick<Facts, 'secrets'>,
): { config?: Config; environment: Record<string, string>; complaints: string[] } {
  const { environment, complaints } = environmentOf(objects, container, facts);
  complaints.push(
    ...Object.keys(environment)
      .filter((name) => !(name in configSchema.shape))
      .map((name) => `${container.name}: ${name} is no setting`),
  );
  try {
    return { config: loadConfig(NEEDS[container.args![0]!]!, environment), environment, complaints };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      environment,
      complaints: [...complaints, ...error.problems.map((problem) => `${container.name}: ${problem}`)],
    };
  }
}

/** Image, user and rights of a pod, and what Kubernetes would put into it unasked. */
function podComplaints(pods: Pods, { version, user, postgresImage }: Facts): string[] {
  const { name, spec } = pods;
  return [
    ...(spec.automountServiceAccountToken === false ? [] : [`${name}: has a token of the cluster`]),
    ...(spec.enableServiceLinks === false ? [] : [`${name}: gets variables for each Service, such as GATEWAY_PORT`]),
    ...(spec.securityContext?.runAsNonRoot && spec.securityContext.seccompProfile?.type === 'RuntimeDefault'
      ? []
      : [`${name}: may be root, or use every system call`]),
    ...containersOf(pods).flatMap((container) => {
      const { image = '', command, args = [], securityContext: rights, resources } = container;
      const expected = isOurs(container)
        ? { user, image: image.replace(/:[^:/]*$/, `:${version}`) }
        : { user: POSTGRES_USER, image: postgresImage };
      return [
        ...(image === expected.image ? [] : [`${container.name}: the image is ${image}, expected ${expected.image}`]),
        ...((rights?.runAsUser ?? spec.securityContext?.runAsUser) === expected.user
          ? []
          : [`${container.name}: is not the user ${expected.user} of its image`]),
        ...(isOurs(container) && (command || args.length === 0)
          ? [`${container.name}: the image has the entry point, args the command`]
          : []),
        ...(hasFewRights(rights) ? [] : [`${container.name}: has rights that it does not need`]),
        ...(hasBounds(resources) ? [] : [`${container.name}: has no requests, or no limit of memory`]),
      ];
    }),
  ];
}

type PodContainer = ReturnType<typeof containersOf>[number];

function hasFewRights(rights: PodContainer['securityContext']): boolean {
  return (
    rights?.allowPrivilegeEscalation === false &&
    rights.readOnlyRootFilesystem === true &&
    rights.capabilities?.drop?.includes('ALL') === true
  );
}

function hasBounds(resources: PodContainer['resources']): boolean {
  return Boolean(resources?.requests?.['cpu'] && resources.requests['memory'] && resources.limits?.['memory']);
}

/** SIGTERM comes after preStop, and SIGKILL when the grace period, which began before, is over. */
function timeComplaints({ name, spec }: Pods): string[] {
  // A migration that is cut is rolled back.
  if (name === 'rain-migrate') return [];
  const graceMs = (spec.terminationGracePeriodSeconds ?? 30) * 1_000;
  const preStopMs =
    Math.max(...spec.containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0)) * 1_000;
  const unproxied = spec.containers.some(
    ({ ports = [], lifecycle }) => ports.some((port) => port.name === 'http') && !lifecycle?.preStop,
  );
  return [
    ...(graceMs >= preStopMs + SERVER_DEADLINE_MS + RESERVE_MS
      ? []
      : [`${name}: is killed after ${graceMs} ms, before it has closed`]),
    ...(unproxied ? [`${name}: closes while proxies still send to it`] : []),
  ];
}

/** A pod of each server is left when a node or a zone is lost. */
function spreadComplaints(objects: readonly KubernetesObject[]): string[] {
  return all(objects, 'Deployment').flatMap(({ metadata, spec }) => {
    const keys = (spec!.template.spec!.topologySpreadConstraints ?? []).map(({ topologyKey }) => topologyKey);
    return ['kubernetes.io/hostname', 'topology.kubernetes.io/zone']
      .filter((key) => !keys.includes(key))
      .map((key) => `${metadata!.name}: is not spread over ${key}`);
  });
}

function jobComplaints(objects: readonly KubernetesObject[]): string[] {
  return all(objects, 'Job').flatMap(({ metadata, spec }) =>
    (['backoffLimit', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'] as const)
      .filter((field) => spec![field] === undefined)
      .map((field) => `${metadata!.name}: has no ${field}`),
  );
}

/** How gateways come and go. */
function rolloutComplaints(objects: readonly KubernetesObject[], config: Config): string[] {
  const limits = {
    ...LIMITS,
    socketsMax: config.GATEWAY_SOCKETS_MAX,
    reconnectsPerSecond: config.GATEWAY_RECONNECTS_PER_SECOND,
  };
  const backMs = reconnectWindowMs(limits.socketsMax, limits) + limits.reconnectMsMin;
  const { spec } = named(objects, 'Deployment', 'rain-gateway');
  const [container] = spec!.template.spec!.containers;
  const needed = GATEWAY_MIB + (limits.socketsMax * PLAYER_KIB) / 1_024;
  return [
    ...all(objects, 'Deployment')
      .filter((one) => one.spec!.strategy?.rollingUpdate?.maxUnavailable !== 0)
      .map(({ metadata }) => `${metadata!.name}: an old one goes before a new one is ready`),
    ...all(objects, 'PodDisruptionBudget')
      .filter((one) => one.spec!.maxUnavailable !== 1)
      .map(({ metadata }) => `${metadata!.name}: more than one at a time may be evicted`),
    ...all(objects, 'Deployment')
      .filter(
        ({ metadata }) => !all(objects, 'PodDisruptionBudget').some((one) => one.metadata!.name === metadata!.name),
      )
      .map(({ metadata }) => `${metadata!.name}: has no budget of disruptions`),
    ...((spec!.minReadySeconds ?? 0) * 1_000 >= backMs
      ? []
      : [`rain-gateway: the next one goes while players of the last one come back, for ${backMs} ms`]),
    ...(spec!.replicas === undefined ? [] : ['rain-gateway: each apply undoes what the autoscaler did']),
    ...(mebibytes(container!.resources!.requests!['memory']!) >= needed
      ? []
      : [`rain-gateway: needs ${Math.ceil(needed)} Mi for its players`]),
  ];
}

export const mebibytes = (quantity: string): number =>
  Number.parseFloat(quantity) * (quantity.endsWith('Gi') ? 1_024 : 1);
/** `12000`, or `100m` for a tenth. */
const quantityOf = (text: string): number => Number.parseFloat(text) / (text.endsWith('m') ? 1_000 : 1);

function autoscalerComplaints(
  objects: readonly KubernetesObject[],
  config: Config,
  { gatewayGauges }: Facts,
): string[] {
  return all(objects, 'HorizontalPodAutoscaler').flatMap(({ spec }) => {
    const {
      scaleTargetRef: { kind, name },
      minReplicas = 1,
      metrics = [],
    } = spec!;
    const asked = metrics.map(({ pods }) => ({
      metric: pods!.metric.name,
      value: quantityOf(pods!.target.averageValue!),
    }));
    const sockets = asked.find(({ metric }) => metric === 'rain_gateway_sockets')?.value ?? Infinity;
    return [
      ...(podsOf(objects).some((pods) => kind === 'Deployment' && pods.name === name)
        ? []
        : [`the autoscaler scales ${kind} ${name}, which there is not`]),
      ...asked
        .filter(({ metric }) => !gatewayGauges.includes(metric))
        .map(({ metric }) => `the autoscaler asks for ${metric}, which no gateway exports`),
      ...((sockets * minReplicas) / (minReplicas - 1) <= config.GATEWAY_SOCKETS_MAX
        ? []
        : ['the players of one gateway have no room at the others']),
    ];
  });
}

/** Ports, as the settings say where each server listens. */
function portComplaints(container: Container, { GATEWAY_PORT, CONSOLE_PORT, METRICS_PORT }: Config): string[] {
  const listens: Record<string, number | undefined> = {
    http: container.args![0] === 'gateway' ? GATEWAY_PORT : CONSOLE_PORT,
    metrics: METRICS_PORT,
  };
  return (container.ports ?? [])
    .filter(({ name, containerPort }) => listens[name!] !== containerPort)
    .map(({ name, containerPort }) => `${container.name}: listens on ${listens[name!]}, and not on ${containerPort}`);
}

export function serverComplaints(objects: readonly KubernetesObject[], facts: Facts): string[] {
  const everyPods = podsOf(objects);
  const settings = everyPods
    .flatMap((pods) => containersOf(pods).filter(isOurs))
    .map((container) => ({ container, ...settingsOf(objects, container, facts) }));
  const gateway = settings.find(({ container }) => container.args![0] === 'gateway')?.config;
  return [
    ...settings.flatMap(({ container, config, complaints }) => [
      ...complaints,
      ...(config ? portComplaints(container, config) : []),
    ]),
    ...everyPods.flatMap((pods) => [...podComplaints(pods, facts), ...timeComplaints(pods)]),
    ...(gateway ? [...rolloutComplaints(objects, gateway), ...autoscalerComplaints(objects, gateway, facts)] : []),
    ...spreadComplaints(objects),
    ...jobComplaints(objects),
    ...(all(objects, 'Secret').length > 0 ? ['a Secret stands in the repository'] : []),
  ];
}
