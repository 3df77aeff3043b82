import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startConsole } from '../../../src/console/server.ts';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { createHttpServer, listen } from '../../../src/gateway/sockets/http.ts';
import { parseRedisUrl } from '../../../src/platform/redis/connect.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { openRegistry, startMetricsServer } from '../../../src/platform/telemetry/metrics.ts';
import { rain } from '../../support/call.ts';
import { knownFigures } from '../../support/registries.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { BREAKS } from './breaks.ts';
import { FOLDER, render, secretsOfExample, typeErrors, unpackKubectl } from './kubectl.ts';
import { reachOf } from './network.ts';
import { all, containersOf, named, podsOf, type KubernetesObject } from './objects.ts';
import { selectorComplaints } from './selectors.ts';
import { isOurs, serverComplaints, settingsOf, type Facts } from './servers.ts';

const read = (path: string): string => readFileSync(join(FOLDER, '../..', path), 'utf8');
const programs = mkdtempSync(join(tmpdir(), 'rain-kubectl-'));
afterAll(() => rmSync(programs, { recursive: true, force: true }));
const { kubectl, missing } = unpackKubectl(programs);

describe.skipIf(missing)(missing ?? 'the manifests for Kubernetes', async () => {
  if (missing) return;
  const base = render(kubectl, join(FOLDER, 'base'));
  const example = render(kubectl, join(FOLDER, 'example'));
  const dockerfile = read('deploy/docker/Dockerfile');
  const facts: Facts = {
    secrets: secretsOfExample(kubectl),
    version: (JSON.parse(read('package.json')) as { version: string }).version,
    // The image of Node has the user `node`, whose number is 1000. Kubernetes does not take a name for proof that it is
    // not root.
    user: /^FROM node:/m.test(dockerfile) && /^USER node$/m.test(dockerfile) ? 1_000 : NaN,
    postgresImage: (
      parse(read('deploy/docker/compose.yaml'), { merge: true }) as { services: { postgres: { image: string } } }
    ).services.postgres.image,
    gatewayGauges: (await knownFigures())
      .filter(({ server, kind, labels }) => server === 'gateway' && kind === 'gauge' && labels.length === 0)
      .map(({ name }) => name),
  };
  const complaints = (objects: readonly KubernetesObject[]): string[] => [
    ...selectorComplaints(objects),
    ...serverComplaints(objects, facts),
  ];

  test('selectors, ports, settings, Secrets, images, users, times and metrics agree with each other and with the product', () => {
    expect(
      podsOf(base)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['rain-console', 'rain-gateway', 'rain-migrate', 'rain-worker']);
    expect(complaints(base)).toEqual([]);
    expect(complaints(example)).toEqual([]);
  });

  test.each(BREAKS)('%s is found', (_what, spoil, complaint) => {
    const spoilt = structuredClone(example);
    spoil(spoilt);
    // It stands beside what follows from it.
    expect(complaints(spoilt)).toContainEqual(expect.stringContaining(complaint));
  });

  test(
    'they are of the types that Kubernetes declares; an unknown, a missing and a mistyped field are found',
    { timeout: 120_000 },
    () => {
      expect(typeErrors(example, temporaryFolder())).toEqual([]);
      const spoilt = structuredClone(base);
      Object.assign(named(spoilt, 'Deployment', 'rain-gateway').spec!.template.spec!, {
        terminationGracePeriodsSeconds: 20,
      });
      Object.assign(named(spoilt, 'HorizontalPodAutoscaler', 'rain-gateway').spec!, { maxReplicas: undefined });
      Object.assign(named(spoilt, 'Service', 'rain-gateway').spec!.ports![0]!, { port: '8687' });
      const found = typeErrors(spoilt, temporaryFolder());
      for (const fault of [
        '"terminationGracePeriodsSeconds"\' does not exist',
        "'maxReplicas' is missing",
        "Type 'string' is not assignable to type 'number'",
      ])
        expect(found).toContainEqual(expect.stringContaining(fault));
      expect(found).toHaveLength(3);
    },
  );

  test('the servers answer every path that a probe asks, on the port that it asks', async () => {
    const log = createLog('probes', 'silent');
    const gateway = createHttpServer({
      limits: LIMITS,
      trustedProxies: 0,
      report: () => ({ ready: true }),
      onDropped: () => {},
      onUpgrade: () => {},
      onRequest: () => {},
    });
    onTestFinished(() => void gateway.close());
    const pageFolder = join(temporaryFolder(), 'page');
    mkdirSync(pageFolder);
    writeFileSync(join(pageFolder, 'index.html'), '');
    const console = await startConsole({
      host: '127.0.0.1',
      port: 0,
      gatewayUrl: 'ws://127.0.0.1/v1',
      pageFolder,
      log,
    });
    const metrics = await startMetricsServer({ registry: openRegistry(), host: '127.0.0.1', port: 0, log });
    onTestFinished(() => Promise.all([console.close(), metrics.close()]).then(() => {}));
    const http: Record<string, string> = {
      gateway: `http://127.0.0.1:${await listen(gateway, '127.0.0.1', 0)}`,
      console: console.url.replace(/\/$/, ''),
    };
    const probes = podsOf(base)
      .flatMap(containersOf)
      .flatMap(({ name, readinessProbe, livenessProbe }) =>
        [readinessProbe, livenessProbe].flatMap((probe) => (probe ? [{ name, ...probe.httpGet! }] : [])),
      );
    expect(probes.length).toBe(6);
    for (const { name, path, port } of probes) {
      const response = await fetch(`${port === 'http' ? http[name]! : metrics.url}${path}`);
      expect([response.status, response.headers.get('content-type')], `${name} ${port} ${path}`).toEqual([
        200,
        expect.stringContaining('application/json'),
      ]);
    }
    for (const url of [...Object.values(http), metrics.url])
      expect((await fetch(`${url}/ready`)).status, `${url}/ready`).toBe(404);
  });

  test('every container of ours runs a command that there is, and no gateway knows the database', async () => {
    for (const container of podsOf(base).flatMap(containersOf).filter(isOurs)) {
      const [command] = container.args!;
      expect((await rain([command!, '--help'])).stdout).toContain(`Usage: rain ${command}`);
      expect('DATABASE_URL' in settingsOf(base, container, facts).environment, command).toBe(command !== 'gateway');
    }
  });

  test('only the expected ones reach a server, and each reaches only what it needs', () => {
    const dns = ['53 of kube-system', '53 of 169.254.20.10/32'];
    const redis = ['6379 of app in rain-redis,rain-redis-sentinel', '26379 of app in rain-redis,rain-redis-sentinel'];
    const postgres = ['5432 of cnpg.io/cluster=rain-postgres'];
    const monitoring = '9464 from monitoring';
    expect(Object.fromEntries(podsOf(example).map((pods) => [pods.name, reachOf(example, pods)]))).toEqual({
      'rain-gateway': { hears: ['http from ingress', monitoring], asks: new Set([...dns, ...redis]) },
      'rain-console': { hears: ['http from ingress', monitoring], asks: new Set([...dns, ...redis, ...postgres]) },
      'rain-worker': { hears: [monitoring], asks: new Set([...dns, ...redis, ...postgres]) },
      'rain-migrate': { hears: [monitoring], asks: new Set([...dns, ...postgres]) },
    });
    expect(
      reachOf(
        base,
        podsOf(base).find(({ name }) => name === 'rain-gateway')!,
      ).asks,
    ).toEqual(new Set([...dns, '6379 of everybody', '26379 of everybody']));
  });

  test('the servers are left out by the label with which the steps apply everything else first', () => {
    expect(
      example
        .filter(({ metadata }) => metadata?.labels?.['app.kubernetes.io/component'] === 'server')
        .map(({ kind, metadata }) => `${kind} ${metadata!.name}`),
    ).toEqual(all(example, 'Deployment').map(({ metadata }) => `Deployment ${metadata!.name}`));
    expect(read('docs/how-to/run-on-kubernetes.md')).toContain("-l 'app.kubernetes.io/component!=server'");
  });

  test('the example asks its operators for the Redis, the database and the jobs that the servers and the alerts expect', () => {
    const [[replication], [sentinel], [cluster], [monitor]] = [
      all(example, 'RedisReplication'),
      all(example, 'RedisSentinel'),
      all(example, 'Cluster'),
      all(example, 'PodMonitor'),
    ];
    const address = parseRedisUrl(facts.secrets.get('rain-redis')!['REDIS_URL']!);
    expect(address).toMatchObject({
      kind: 'sentinel',
      nodes: [{ host: `${sentinel!.metadata.name}-sentinel` }],
      name: sentinel!.spec.redisSentinelConfig!.masterGroupName,
      password: facts.secrets.get('rain-redis')!['password'],
    });
    expect(replication!.metadata.name).toBe(sentinel!.spec.redisSentinelConfig!.redisReplicationName);
    expect(facts.secrets.get(replication!.spec.kubernetesConfig!.redisSecret!.name)).toHaveProperty(
      replication!.spec.kubernetesConfig!.redisSecret!.key,
    );
    // The settings that the compose file has on the command line.
    const redisConf = named(example, 'ConfigMap', replication!.spec.redisConfig!.additionalRedisConfig).data![
      'redis-additional.conf'
    ]!;
    for (const line of redisConf.trim().split('\n'))
      expect(read('deploy/docker/compose.yaml')).toContain(`--${line.replace(' ', ', ').replace(/, yes$/, ', "yes"')}`);
    expect(redisConf.trim().split('\n').length).toBe(3);
    const { config } = settingsOf(
      example,
      podsOf(example).find(({ name }) => name === 'rain-gateway')!.spec.containers[0]!,
      facts,
    );
    expect(config!.DURABILITY).toMatchObject({ mode: 'replicas' });
    expect(config!.DURABILITY.mode === 'replicas' && config!.DURABILITY.replicas).toBeLessThan(
      replication!.spec.clusterSize! - 1,
    );

    const { initdb } = cluster!.spec.bootstrap!;
    const roles = [{ name: initdb.owner, passwordSecret: initdb.secret }, ...cluster!.spec.managed!.roles];
    expect(roles.map(({ name }) => name).sort()).toEqual(
      [...read('deploy/postgresql/roles.sql').matchAll(/^CREATE ROLE (\w+) LOGIN;$/gm)].map(([, name]) => name).sort(),
    );
    for (const { name, passwordSecret } of roles) {
      const { username, password, DATABASE_URL } = facts.secrets.get(passwordSecret.name)!;
      expect([username, DATABASE_URL]).toEqual([
        name,
        `postgres://${name}:${password}@${cluster!.metadata.name}-rw:5432/${initdb.database}`,
      ]);
    }
    const jobs = (
      parse(read('deploy/prometheus/prometheus.yml')) as { scrape_configs: { job_name: string }[] }
    ).scrape_configs.map(({ job_name }) => job_name);
    expect(
      podsOf(example)
        .filter(({ name }) => name !== 'rain-migrate')
        .map(({ labels }) => labels[monitor!.spec.jobLabel!])
        .sort(),
    ).toEqual(jobs.sort());
  });
});
