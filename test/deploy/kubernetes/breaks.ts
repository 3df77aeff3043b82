import { containersOf, named, podsOf, type KubernetesObject } from './objects.ts';

type Break = [what: string, spoil: (objects: KubernetesObject[]) => void, complaint: string];

const gateway = (objects: KubernetesObject[]) => named(objects, 'Deployment', 'rain-gateway').spec!;
const container = (objects: KubernetesObject[]) => gateway(objects).template.spec!.containers[0]!;
const settings = (objects: KubernetesObject[]): Record<string, string> =>
  objects.flatMap((object) =>
    object.kind === 'ConfigMap' && object.metadata!.name!.startsWith('rain-settings') ? [object.data!] : [],
  )[0]!;
const policy = (objects: KubernetesObject[], name: string) => named(objects, 'NetworkPolicy', name).spec!;
const autoscaler = (objects: KubernetesObject[]) => named(objects, 'HorizontalPodAutoscaler', 'rain-gateway').spec!;
const migration = (objects: KubernetesObject[]) =>
  podsOf(objects)
    .flatMap(containersOf)
    .find(({ name }) => name === 'grants')!;

/** One fault each, which the checks are to find. */
export const BREAKS: readonly Break[] = [
  [
    'a Deployment with another selector',
    (objects) => {
      gateway(objects).selector = { matchLabels: { app: 'rain-gateway' } };
    },
    'Deployment rain-gateway does not select its own pods',
  ],
  [
    'a Service of no pods',
    (objects) => {
      named(objects, 'Service', 'rain-gateway').spec!.selector = { app: 'gateway' };
    },
    'Service rain-gateway selects 0 kinds of pods',
  ],
  [
    'a Service of all pods',
    (objects) => {
      named(objects, 'Service', 'rain-gateway').spec!.selector = { 'app.kubernetes.io/part-of': 'red-packet-rain' };
    },
    'Service rain-gateway selects 4 kinds of pods',
  ],
  [
    'a port that no pod opens',
    (objects) => {
      named(objects, 'Service', 'rain-gateway').spec!.ports![0]!.targetPort = 'web';
    },
    'Service rain-gateway: rain-gateway has no port web',
  ],
  [
    'a path to no Service',
    (objects) => {
      named(objects, 'Ingress', 'rain').spec!.rules![0]!.http!.paths[0]!.backend.service!.name = 'gateway';
    },
    'Ingress: there is no Service gateway with a port http',
  ],
  [
    'a budget of no pods',
    (objects) => {
      named(objects, 'PodDisruptionBudget', 'rain-worker').spec!.selector = { matchLabels: { app: 'worker' } };
    },
    'PodDisruptionBudget rain-worker selects no pod',
  ],
  [
    'a policy of no pods',
    (objects) => {
      policy(objects, 'rain-gateway-from-ingress').podSelector = { matchLabels: { app: 'gateway' } };
    },
    'NetworkPolicy rain-gateway-from-ingress selects no pod',
  ],
  [
    'a policy with a misspelt server',
    (objects) => {
      policy(objects, 'rain-to-redis').podSelector.matchExpressions![0]!.values = ['rain-gateway', 'rain-wroker'];
    },
    'NetworkPolicy rain-to-redis: no pod has app.kubernetes.io/name=rain-wroker',
  ],
  [
    'a policy for another Redis',
    (objects) => {
      policy(objects, 'rain-to-redis').egress![0]!.to = [{ podSelector: { matchLabels: { app: 'redis' } } }];
    },
    'NetworkPolicy rain-to-redis, a peer selects no pod',
  ],
  [
    'a policy for a closed port',
    (objects) => {
      policy(objects, 'rain-all').ingress![0]!.ports![0]!.port = 9090;
    },
    'NetworkPolicy rain-all: rain-gateway has no port 9090',
  ],
  [
    'a probe of a port that is not open',
    (objects) => {
      container(objects).readinessProbe!.httpGet!.port = 'web';
    },
    'rain-gateway: a probe asks the port web, which it has not',
  ],
  [
    'metrics of a port that is not open',
    (objects) => {
      container(objects).ports = container(objects).ports!.slice(0, 1);
    },
    'PodMonitor: rain-gateway has no port metrics',
  ],
  [
    'a setting that there is not',
    (objects) => {
      settings(objects)['GATEWAY_SOCKET_MAX'] = '1';
    },
    'gateway: GATEWAY_SOCKET_MAX is no setting',
  ],
  [
    'a setting with a wrong value',
    (objects) => {
      settings(objects)['TRUSTED_PROXIES'] = 'yes';
    },
    'gateway: TRUSTED_PROXIES: expected 0 to 8',
  ],
  [
    'a missing setting',
    (objects) => {
      container(objects).env = container(objects).env!.filter(({ name }) => name !== 'SIGNING_SECRET');
    },
    'gateway: SIGNING_SECRET: missing, expected',
  ],
  [
    'a Secret that nobody makes',
    (objects) => {
      container(objects).env![0]!.valueFrom!.secretKeyRef!.key = 'url';
    },
    'gateway: REDIS_URL comes from rain-redis/url, which nobody makes',
  ],
  [
    'a ConfigMap that is not there',
    (objects) => {
      container(objects).envFrom![0]!.configMapRef!.name = 'rain-settings';
    },
    'gateway: there is no ConfigMap rain-settings',
  ],
  [
    'a port of metrics that is not the one of the settings',
    (objects) => {
      settings(objects)['METRICS_PORT'] = '9100';
    },
    'gateway: listens on 9100, and not on 9464',
  ],
  [
    'a Secret in the repository',
    (objects) => {
      objects.push({
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { name: 'rain-secrets' },
        stringData: { JWT_SECRET: 'x' },
      });
    },
    'a Secret stands in the repository',
  ],
  [
    'too little time to close',
    (objects) => {
      gateway(objects).template.spec!.terminationGracePeriodSeconds = 14;
    },
    'rain-gateway: is killed after 14000 ms, before it has closed',
  ],
  [
    'a longer wait before the close',
    (objects) => {
      container(objects).lifecycle!.preStop!.sleep!.seconds = 15;
    },
    'rain-gateway: is killed after 20000 ms, before it has closed',
  ],
  [
    'no wait before the close',
    (objects) => {
      delete container(objects).lifecycle;
    },
    'rain-gateway: closes while proxies still send to it',
  ],
  [
    'a rollout that begins with the old one',
    (objects) => {
      gateway(objects).strategy!.rollingUpdate!.maxUnavailable = 1;
    },
    'rain-gateway: an old one goes before a new one is ready',
  ],
  [
    'a rollout that does not wait for the players',
    (objects) => {
      gateway(objects).minReadySeconds = 10;
    },
    'rain-gateway: the next one goes while players of the last one come back, for 18500 ms',
  ],
  [
    'more time for the players to come back',
    (objects) => {
      settings(objects)['GATEWAY_RECONNECTS_PER_SECOND'] = '600';
    },
    'rain-gateway: the next one goes while players of the last one come back, for 30500 ms',
  ],
  [
    'a number of gateways beside the autoscaler',
    (objects) => {
      gateway(objects).replicas = 3;
    },
    'rain-gateway: each apply undoes what the autoscaler did',
  ],
  [
    'too little memory',
    (objects) => {
      container(objects).resources!.requests!['memory'] = '128Mi';
    },
    'rain-gateway: needs 291 Mi for its players',
  ],
  [
    'no budget',
    (objects) => {
      objects.splice(
        objects.findIndex(({ kind }) => kind === 'PodDisruptionBudget'),
        1,
      );
    },
    'rain-console: has no budget of disruptions',
  ],
  [
    'a generous budget',
    (objects) => {
      named(objects, 'PodDisruptionBudget', 'rain-gateway').spec!.maxUnavailable = 2;
    },
    'rain-gateway: more than one at a time may be evicted',
  ],
  [
    'a metric that no gateway exports',
    (objects) => {
      autoscaler(objects).metrics![0]!.pods!.metric.name = 'rain_gateway_socket';
    },
    'the autoscaler asks for rain_gateway_socket, which no gateway exports',
  ],
  [
    'a metric of the worker',
    (objects) => {
      autoscaler(objects).metrics![1]!.pods!.metric.name = 'rain_live_rains';
    },
    'the autoscaler asks for rain_live_rains, which no gateway exports',
  ],
  [
    'an autoscaler of nothing',
    (objects) => {
      autoscaler(objects).scaleTargetRef.name = 'gateway';
    },
    'the autoscaler scales Deployment gateway, which there is not',
  ],
  [
    'gateways that are too full',
    (objects) => {
      autoscaler(objects).metrics![0]!.pods!.target.averageValue = '15000';
    },
    'the players of one gateway have no room at the others',
  ],
  [
    'another user than the one of the image',
    (objects) => {
      gateway(objects).template.spec!.securityContext!.runAsUser = 1001;
    },
    'gateway: is not the user 1000 of its image',
  ],
  [
    'another version than this one',
    (objects) => {
      container(objects).image = 'red-packet-rain:latest';
    },
    'gateway: the image is red-packet-rain:latest, expected red-packet-rain:',
  ],
  [
    'another PostgreSQL than elsewhere',
    (objects) => {
      migration(objects).image = 'postgres:12';
    },
    'grants: the image is postgres:12, expected postgres:15-bookworm',
  ],
  [
    'a command in the place of the entry point',
    (objects) => {
      container(objects).command = ['gateway'];
    },
    'gateway: the image has the entry point, args the command',
  ],
  [
    'a container that may write',
    (objects) => {
      container(objects).securityContext!.readOnlyRootFilesystem = false;
    },
    'gateway: has rights that it does not need',
  ],
  [
    'a pod that may be root',
    (objects) => {
      gateway(objects).template.spec!.securityContext!.runAsNonRoot = false;
    },
    'rain-gateway: may be root, or use every system call',
  ],
  [
    'a token of the cluster',
    (objects) => {
      delete gateway(objects).template.spec!.automountServiceAccountToken;
    },
    'rain-gateway: has a token of the cluster',
  ],
  [
    'variables of Services',
    (objects) => {
      delete gateway(objects).template.spec!.enableServiceLinks;
    },
    'rain-gateway: gets variables for each Service, such as GATEWAY_PORT',
  ],
  [
    'no limit of memory',
    (objects) => {
      delete container(objects).resources!.limits;
    },
    'gateway: has no requests, or no limit of memory',
  ],
  [
    'gateways that may all be in one zone',
    (objects) => {
      gateway(objects).template.spec!.topologySpreadConstraints!.pop();
    },
    'rain-gateway: is not spread over topology.kubernetes.io/zone',
  ],
  [
    'a migration without a deadline',
    (objects) => {
      delete named(objects, 'Job', 'rain-migrate').spec!.activeDeadlineSeconds;
    },
    'rain-migrate: has no activeDeadlineSeconds',
  ],
  [
    'a Redis without maxmemory',
    (objects) => {
      const { data } = named(objects, 'ConfigMap', 'rain-redis-config');
      data!['redis-additional.conf'] = data!['redis-additional.conf']!.replace(/^maxmemory .*$/m, '');
    },
    'rain-redis: maxmemory is not at most half of the limit of 4096 Mi',
  ],
  [
    'a Redis in a smaller container',
    (objects) => {
      named(objects, 'RedisReplication', 'rain-redis').spec.kubernetesConfig!.resources!.limits!['memory'] = '3Gi';
    },
    'rain-redis: maxmemory is not at most half of the limit of 3072 Mi',
  ],
  [
    'a Redis that evicts',
    (objects) => {
      const { data } = named(objects, 'ConfigMap', 'rain-redis-config');
      data!['redis-additional.conf'] = data!['redis-additional.conf']!.replace('noeviction', 'allkeys-lru');
    },
    'rain-redis: evicts when it is full',
  ],
  [
    'a CA that is nowhere',
    (objects) => {
      delete migration(objects).volumeMounts;
    },
    'grants: no volume brings /etc/rain/ca/ca.crt',
  ],
];
