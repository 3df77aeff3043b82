import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts';
import type { NetworkPolicyPort } from 'kubernetes-types/networking/v1.d.ts';
import { all, containersOf, operatorsPods, podsOf, type KubernetesObject, type Pods } from './objects.ts';

export function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`${operator} is not understood here`);
      return values.includes(labels[key] ?? '');
    })
  );
}

/** Whether all values of an `In` exist: one that is misspelt would only select less. */
function strays({ matchExpressions = [] }: LabelSelector, pods: readonly Record<string, string>[]): string[] {
  return matchExpressions.flatMap(({ key, values = [] }) =>
    values.filter((value) => !pods.some((labels) => labels[key] === value)).map((value) => `${key}=${value}`),
  );
}

const portsOf = (pods: Pods) => containersOf(pods).flatMap(({ ports = [] }) => ports);
const hasPort = (pods: Pods, port: number | string | undefined): boolean =>
  portsOf(pods).some(({ name, containerPort }) => name === port || containerPort === port);

/** Selectors that select nothing or too much, and ports that no pod opens. */
export function selectorComplaints(objects: readonly KubernetesObject[]): string[] {
  const ours = podsOf(objects);
  const everyLabels = [...ours.map(({ labels }) => labels), ...operatorsPods(objects)];
  const nobody = (whose: string, selector: LabelSelector | undefined): string[] => {
    if (!selector || !everyLabels.some((labels) => selects(selector, labels))) return [`${whose} selects no pod`];
    return strays(selector, everyLabels).map((label) => `${whose}: no pod has ${label}`);
  };

  const workloads = all(objects, 'Deployment').flatMap(({ metadata, spec }) => {
    const labels = { ...spec!.template.metadata!.labels };
    const spread = spec!.template.spec!.topologySpreadConstraints ?? [];
    return [spec!.selector, ...spread.map(({ labelSelector }) => labelSelector!)]
      .filter((selector) => !selects(selector, labels))
      .map(() => `Deployment ${metadata!.name} does not select its own pods`);
  });

  const services = all(objects, 'Service').flatMap(({ metadata, spec }) => {
    const targets = ours.filter(({ labels }) => selects({ matchLabels: spec!.selector! }, labels));
    if (targets.length !== 1) return [`Service ${metadata!.name} selects ${targets.length} kinds of pods`];
    return spec!
      .ports!.filter(({ port, targetPort }) => !hasPort(targets[0]!, targetPort ?? port))
      .map(({ targetPort }) => `Service ${metadata!.name}: ${targets[0]!.name} has no port ${targetPort}`);
  });

  const ingresses = all(objects, 'Ingress')
    .flatMap(({ spec }) => spec!.rules!.flatMap(({ http }) => http!.paths.map(({ backend }) => backend.service!)))
    .filter(
      ({ name, port }) =>
        !all(objects, 'Service').some(
          ({ metadata, spec }) => metadata!.name === name && spec!.ports!.some((one) => one.name === port?.name),
        ),
    )
    .map(({ name, port }) => `Ingress: there is no Service ${name} with a port ${port?.name}`);

  const budgets = all(objects, 'PodDisruptionBudget').flatMap(({ metadata, spec }) =>
    nobody(`PodDisruptionBudget ${metadata!.name}`, spec!.selector),
  );

  const policies = all(objects, 'NetworkPolicy').flatMap(({ metadata, spec }) => {
    const whose = `NetworkPolicy ${metadata!.name}`;
    const selected = ours.filter(({ labels }) => selects(spec!.podSelector, labels));
    const peers = [
      ...(spec!.ingress ?? []).flatMap(({ from = [] }) => from),
      ...(spec!.egress ?? []).flatMap(({ to = [] }) => to),
    ];
    const inside = peers
      .filter(({ namespaceSelector }) => !namespaceSelector)
      .flatMap(({ podSelector }) => podSelector ?? []);
    const opened = (spec!.ingress ?? [])
      .flatMap(({ ports = [] as NetworkPolicyPort[] }) => ports)
      .map(({ port }) => port);
    // The migration opens no port, and is meant by what holds for all.
    return [
      ...nobody(whose, spec!.podSelector),
      ...inside.flatMap((selector) => nobody(`${whose}, a peer`, selector)),
      ...selected
        .filter(({ name }) => name !== 'rain-migrate')
        .flatMap((pods) =>
          opened.filter((port) => !hasPort(pods, port)).map((port) => `${whose}: ${pods.name} has no port ${port}`),
        ),
    ];
  });

  const monitors = all(objects, 'PodMonitor').flatMap(({ spec }) => [
    ...nobody('PodMonitor', spec.selector),
    ...ours
      .filter(({ labels }) => selects(spec.selector!, labels))
      .flatMap((pods) =>
        spec
          .podMetricsEndpoints!.filter(({ port }) => !hasPort(pods, port))
          .map(({ port }) => `PodMonitor: ${pods.name} has no port ${port}`),
      ),
  ]);

  const probes = ours.flatMap((pods) =>
    containersOf(pods).flatMap(({ readinessProbe, livenessProbe, startupProbe, ports = [] }) =>
      [readinessProbe, livenessProbe, startupProbe]
        .filter((probe) => probe && !ports.some(({ name }) => name === probe.httpGet?.port))
        .map((probe) => `${pods.name}: a probe asks the port ${probe?.httpGet?.port}, which it has not`),
    ),
  );

  return [...workloads, ...services, ...ingresses, ...budgets, ...policies, ...monitors, ...probes];
}
