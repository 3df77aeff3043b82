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
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { BREAKS } from './breaks.ts';
import { complaintsOf, openFacts, type Compose } from './facts.ts';
import { FOLDER, render, secretsOf, typeErrors, unpack } from './kubectl.ts';
import { reachOf } from './network.ts';
import { all, containersOf, named, podsOf, type KubernetesObject } from './objects.ts';
import { isOurs, settingsOf } from './servers.ts';
import { redisConfOf } from './stores.ts';

const read = (path: string): string => readFileSync(join(FOLDER, '../..', path), 'utf8');
const programs = mkdtempSync(join(tmpdir(), 'rain-kubectl-'));
afterAll(() => rmSync(programs, { recursive: true, force: true }));
const { path: kubectl, missing } = unpack('kubectl', programs);

describe.skipIf(missing)(missing ?? 'the manifests for Kubernetes', async () => {
  if (missing) return;
  const base = render(kubectl, join(FOLDER, 'base'));
  const example = render(kubectl, join(FOLDER, 'example'));
  const cluster = render(kubectl, join(FOLDER, 'example-cluster'));
  const facts = await openFacts(kubectl);
  const complaints = (objects: readonly KubernetesObject[], given = facts) => complaintsOf(objects, given);

  test('selectors, ports, settings, Secrets, images, users, times and metrics agree with each other and with the product', () => {
    expect(
      podsOf(base)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['rain-console', 'rain-gateway', 'rain-migrate', 'rain-worker']);
    expect(complaints(base)).toEqual([]);
    expect(complaints(example)).toEqual([]);
    expect(complaints(cluster, { ...facts, secrets: secretsOf(kubectl, 'cluster') })).toEqual([]);
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
    const steps = read('docs/how-to/run-on-kubernetes.md');
    expect(steps).toContain("-l 'app.kubernetes.io/component!=server'");
    const waited = [...steps.matchAll(/--timeout=(\d+)m job\/rain-migrate/g)].map(
      ([, minutes]) => Number(minutes) * 60,
    );
    const { activeDeadlineSeconds } = named(base, 'Job', 'rain-migrate').spec!;
    expect(waited, 'the steps wait for as long as the migration may take').toEqual(
      waited.map(() => activeDeadlineSeconds),
    );
    expect(waited.length).toBe(2);
  });

  test('the example asks its operators for the Redis, the database and the jobs that the servers and the alerts expect', () => {
    const [[replication], [sentinel], [postgres], [monitor]] = [
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
    const redisConf = redisConfOf(example, replication!.spec.redisConfig!.additionalRedisConfig);
    const compose = parse(read('deploy/docker/compose.yaml'), { merge: true }) as Compose;
    expect(compose.services.redis.command.slice(3)).toEqual(
      [...redisConf].flatMap(([name, value]) => [`--${name}`, value]),
    );
    const { config } = settingsOf(
      example,
      podsOf(example).find(({ name }) => name === 'rain-gateway')!.spec.containers[0]!,
      facts,
    );
    expect(config!.DURABILITY).toMatchObject({ mode: 'replicas' });
    expect(config!.DURABILITY.mode === 'replicas' && config!.DURABILITY.replicas).toBeLessThan(
      replication!.spec.clusterSize! - 1,
    );

    const { initdb } = postgres!.spec.bootstrap!;
    const roles = [{ name: initdb.owner, passwordSecret: initdb.secret }, ...postgres!.spec.managed!.roles];
    expect(roles.map(({ name }) => name).sort()).toEqual(
      [...read('deploy/postgresql/roles.sql').matchAll(/^CREATE ROLE (\w+) LOGIN;$/gm)].map(([, name]) => name).sort(),
    );
    for (const { name, passwordSecret } of roles) {
      const { username, password, DATABASE_URL } = facts.secrets.get(passwordSecret.name)!;
      expect([username, DATABASE_URL]).toEqual([
        name,
        `postgres://${name}:${password}@${postgres!.metadata.name}-rw:5432/${initdb.database}?sslmode=verify-full&sslrootcert=/etc/rain/ca/ca.crt`,
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

  test('the Cluster is the example with another Redis, with the settings that `rain doctor` requires of one', () => {
    const [redis] = all(cluster, 'RedisCluster');
    const { redisLeader, clusterSize } = redis!.spec;
    const { REDIS_URL } = secretsOf(kubectl, 'cluster').get('rain-redis')!;
    expect(parseRedisUrl(REDIS_URL!)).toMatchObject({
      kind: 'cluster',
      nodes: ['leader', 'follower'].map((role) => ({ host: `${redis!.metadata.name}-${role}`, port: 6_379 })),
    });
    expect(clusterSize).toBeGreaterThanOrEqual(3);
    const name = redisLeader!.redisConfig!.additionalRedisConfig;
    expect(Object.fromEntries(redisConfOf(cluster, name))).toEqual({
      ...Object.fromEntries(redisConfOf(example, name)),
      'cluster-allow-replica-migration': 'no',
      'cluster-require-full-coverage': 'no',
      'cluster-node-timeout': '5000',
    });
    const others = (objects: readonly KubernetesObject[]) =>
      objects.filter(
        ({ kind, metadata }) =>
          !kind.startsWith('Redis') &&
          !['rain-redis', 'rain-to-redis', 'rain-redis-config'].includes(metadata?.name ?? ''),
      );
    expect(others(cluster)).toEqual(others(example));
  });
});
