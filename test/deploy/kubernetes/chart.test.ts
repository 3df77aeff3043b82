import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { configSchema } from '../../../src/platform/config.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { CHART, openHelm, REQUIRED, startSecretsApi } from './chart.ts';
import { complaintsOf, openFacts } from './facts.ts';
import { FOLDER, render, typeErrors, unpack } from './kubectl.ts';
import { all, named, podsOf, type KubernetesObject } from './objects.ts';

const programs = mkdtempSync(join(tmpdir(), 'rain-helm-'));
afterAll(() => rmSync(programs, { recursive: true, force: true }));
const kubectl = unpack('kubectl', programs);
const { path: helm, missing } = unpack('helm', programs);

/** Labels and annotations that only a chart has, and names that only kustomize gives, taken away. */
function comparable(objects: readonly KubernetesObject[]): Map<string, object> {
  const OF_HELM = /^(helm\.sh\/|checksum\/|red-packet-rain\/|app\.kubernetes\.io\/(instance|managed-by)$)/;
  const plain = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => plain(one));
    if (typeof value === 'string') return value.replace(/^(rain-settings|rain-grants)-[a-z0-9]{10}$/, '$1');
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value)
      .filter(([name]) => !(OF_HELM.test(name) || (key === 'metadata' && name === 'namespace')))
      // The default of Kubernetes for an image with a tag.
      .filter(([name, one]) => !(name === 'imagePullPolicy' && one === 'IfNotPresent'))
      .map(([name, one]) => [name, plain(one, name)] as const)
      .filter(
        ([name, one]) => !(['annotations', 'matchLabels'].includes(name) && Object.keys(one as object).length === 0),
      );
    return Object.fromEntries(entries);
  };
  return new Map(
    objects.map((object) => {
      const one = plain(object) as { kind: string; metadata: { name: string; labels?: object } };
      // kustomize labels the objects that it has been given names for, the chart all.
      if (['NetworkPolicy', 'ConfigMap'].includes(one.kind)) delete one.metadata.labels;
      return [`${one.kind} ${one.metadata.name}`, one];
    }),
  );
}

describe.skipIf(missing)(missing ?? 'the chart', async () => {
  if (missing) return;
  const { render: chartOf, lint } = openHelm(helm, programs);
  const facts = await openFacts(kubectl.path);
  const chart = await chartOf(REQUIRED);
  const withValues = (values: object, ...options: string[]) => chartOf({ ...REQUIRED, ...values }, ...options);

  test('passes the strict lint of helm, and is of this version', async () => {
    expect(await lint(REQUIRED)).not.toMatch(/ERROR|WARNING/);
    expect(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({
      version: facts.version,
      appVersion: facts.version,
    });
  });

  test('makes the objects of the kustomize base, with an HTTPRoute in place of the Ingress', () => {
    const base = comparable(render(kubectl.path, join(FOLDER, 'base')));
    const ours = comparable(chart);
    const route = all(chart, 'HTTPRoute')[0]!;
    expect(
      route.spec.rules.map(({ matches: [match], backendRefs: [backend] }) => [match!.path.value, backend!.name]),
    ).toEqual(
      all([...base.values()] as KubernetesObject[], 'Ingress')[0]!.spec!.rules![0]!.http!.paths.map(
        ({ path, backend }) => [path, backend.service!.name],
      ),
    );
    for (const { backendRefs } of route.spec.rules)
      for (const { name, port } of backendRefs)
        expect(named(chart, 'Service', name).spec!.ports!.map((one) => one.port)).toEqual([port]);
    for (const key of ['Namespace red-packet-rain', 'Ingress rain']) expect(base.delete(key), key).toBe(true);
    expect(ours.delete('HTTPRoute rain')).toBe(true);
    expect([...ours.keys()].sort()).toEqual([...base.keys()].sort());
    for (const [key, object] of base) expect(ours.get(key), key).toEqual(object);
  });

  test(
    'agrees with itself, with the product and with the types of Kubernetes, with every option',
    { timeout: 60_000 },
    async () => {
      const full = await withValues({
        image: { ...REQUIRED.image, pullSecrets: ['registry'] },
        externalSecrets: { enabled: true, store: 'vault', prefix: 'rain/' },
        monitoring: { enabled: true, labels: { release: 'prometheus' } },
        worker: {
          extraEnv: [
            { name: 'WEBHOOK_SECRET', valueFrom: { secretKeyRef: { name: 'rain-secrets', key: 'SIGNING_SECRET' } } },
          ],
          podAnnotations: { 'example.com/team': 'rain' },
          nodeSelector: { pool: 'rain' },
          tolerations: [{ key: 'pool', value: 'rain' }],
        },
        networkPolicy: {
          redis: [{ ipBlock: { cidr: '10.0.0.5/32' } }],
          postgres: [{ ipBlock: { cidr: '10.0.0.6/32' } }],
          extraEgress: [{ ports: [{ port: 443 }] }],
        },
      });
      for (const objects of [chart, full]) {
        expect(complaintsOf(objects, facts)).toEqual([]);
        expect(typeErrors(objects, temporaryFolder())).toEqual([]);
      }
      expect(all(full, 'PodMonitor').length).toBe(1);
      expect(named(full, 'NetworkPolicy', 'rain-all').spec!.egress!.at(-1)).toEqual({ ports: [{ port: 443 }] });
      for (const server of ['redis', 'postgres'])
        expect(named(full, 'NetworkPolicy', `rain-to-${server}`).spec!.egress![0]!.to).toHaveLength(1);
    },
  );

  test('sets only settings that there are', () => {
    const { data } = named(chart, 'ConfigMap', 'rain-settings');
    expect(Object.keys(data!).filter((name) => !(name in configSchema.shape))).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    ['no image', { image: {} }, /image\.repository is missing: name the image/],
    ['no host', { host: '' }, /host is missing: the host name/],
    ['no Gateway', { route: {} }, /route\.parentRefs is missing: name the Gateway/],
    ['no store of secrets', { externalSecrets: { enabled: true } }, /externalSecrets\.store is missing/],
    ['no Prometheus', { gateway: { autoscaling: { by: 'keda' } } }, /gateway\.autoscaling\.prometheus is missing/],
    ['a misspelt value', { gatewey: {} }, /additional properties 'gatewey' not allowed/],
    ['a secret among the settings', { settings: { SIGNING_SECRET: 'x' } }, /propertyName 'SIGNING_SECRET'/],
    ['an address of a store there', { settings: { REDIS_URL: 'redis://x' } }, /propertyName 'REDIS_URL'/],
    ['a setting that is no text', { settings: { TRUSTED_PROXIES: 2 } }, /TRUSTED_PROXIES': got number, want string/],
    ['an address for the host', { host: 'https://rain.example.com' }, /'\/host'.*does not match/],
    ['no Secret', { secrets: { redis: '' } }, /'\/secrets\/redis'/],
    ['no limit of memory', { worker: { resources: { limits: null } } }, /'\/worker\/resources'/],
  ])('%s is refused by name', async (_what, values, message) => {
    await expect(withValues(values)).rejects.toThrow(message);
  });

  test('the migration is a hook, after all that it needs', async () => {
    const objects = await withValues({ externalSecrets: { enabled: true, store: 'vault', prefix: 'rain/' } });
    const hooks = objects
      .filter(({ metadata }) => metadata!.annotations?.['helm.sh/hook'])
      .map(({ kind, metadata }) => {
        expect(metadata!.annotations!['helm.sh/hook']).toBe('pre-install,pre-upgrade');
        return [Number(metadata!.annotations!['helm.sh/hook-weight']), kind, metadata!.name!] as const;
      })
      .sort(([a, , first], [b, , second]) => a - b || first.localeCompare(second));
    expect(hooks.map(([, kind, name]) => `${kind} ${name}`)).toEqual([
      'ExternalSecret rain-database-console',
      'ExternalSecret rain-database-owner',
      'ExternalSecret rain-database-worker',
      'ExternalSecret rain-redis',
      'ExternalSecret rain-secrets',
      'ConfigMap rain-grants',
      'Job rain-migrate',
    ]);
    // A hook is deleted and made anew: its Secret must outlive it.
    for (const { metadata, spec } of all(objects, 'ExternalSecret'))
      expect(spec).toMatchObject({
        target: { name: metadata.name, creationPolicy: 'Orphan', deletionPolicy: 'Retain' },
        dataFrom: [{ extract: { key: `rain/${metadata.name}` } }],
      });
    expect(all(await withValues({ migration: { enabled: false } }), 'Job')).toEqual([]);
  });

  test('KEDA scales by the same figures, and without an autoscaler the number is given', async () => {
    const [hpa] = all(chart, 'HorizontalPodAutoscaler');
    const keda = await withValues({ gateway: { autoscaling: { by: 'keda', prometheus: 'http://prometheus:9090' } } });
    expect(all(keda, 'HorizontalPodAutoscaler')).toEqual([]);
    const { spec } = all(keda, 'ScaledObject')[0]!;
    expect(spec).toMatchObject({
      scaleTargetRef: { name: hpa!.spec!.scaleTargetRef.name },
      minReplicaCount: hpa!.spec!.minReplicas,
      maxReplicaCount: hpa!.spec!.maxReplicas,
      advanced: { horizontalPodAutoscalerConfig: { behavior: hpa!.spec!.behavior } },
    });
    expect(spec.triggers.map(({ metadata: { query, threshold } }) => [query, threshold])).toEqual(
      hpa!.spec!.metrics!.map(({ pods }) => [
        `sum(${pods!.metric.name}{namespace="red-packet-rain", pod=~"rain-gateway-.+"})`,
        pods!.target.averageValue,
      ]),
    );
    const none = await withValues({ gateway: { autoscaling: { by: 'none', minReplicas: 5 } } });
    expect(named(none, 'Deployment', 'rain-gateway').spec!.replicas).toBe(5);
  });

  /** The servers whose pods an upgrade from one to the other replaces. */
  const replaced = (before: readonly KubernetesObject[], after: readonly KubernetesObject[]) =>
    all(before, 'Deployment')
      .filter(
        ({ metadata, spec }) =>
          JSON.stringify(spec!.template) !== JSON.stringify(named(after, 'Deployment', metadata!.name!).spec!.template),
      )
      .map(({ metadata }) => metadata!.name);

  test('a changed setting replaces all pods, and a new image those of workers and consoles first, if asked to', async () => {
    expect(replaced(chart, await withValues({ settings: { TRUSTED_PROXIES: '2' } }))).toHaveLength(3);
    const image = { ...REQUIRED.image, tag: 'next' };
    expect(replaced(chart, await withValues({ image, gateway: { tag: facts.version } }))).toEqual([
      'rain-worker',
      'rain-console',
    ]);
    expect(replaced(chart, await withValues({ image }))).toHaveLength(3);
  });

  test('a changed Secret replaces the pods that read it, at the next upgrade', async () => {
    const versions: Record<string, string> = {
      'rain-secrets': '1',
      'rain-redis': '1',
      'rain-database-worker': '1',
      'rain-database-console': '1',
    };
    const api = await startSecretsApi(versions);
    onTestFinished(api.close);
    const few = {
      gateway: { autoscaling: { by: 'none' } },
      migration: { enabled: false },
      networkPolicy: { enabled: false },
      route: { enabled: false },
    };
    const atCluster = ['--dry-run=server', '--disable-openapi-validation', '--kube-apiserver', api.url];
    const deployed = () => withValues(few, ...atCluster);
    const before = await deployed();
    expect(replaced(before, await deployed())).toEqual([]);
    versions['rain-database-worker'] = '2';
    const after = await deployed();
    expect(replaced(before, after)).toEqual(['rain-worker']);
    versions['rain-secrets'] = '2';
    expect(replaced(after, await deployed())).toHaveLength(3);
  });

  test('two releases share a namespace: no object has the name of another, and each selects its own pods', async () => {
    const other = await openHelm(helm, programs, 'other').render(REQUIRED);
    const names = (objects: readonly KubernetesObject[]) =>
      new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata!.name}`));
    expect([...names(other)].filter((name) => names(chart).has(name))).toEqual([]);
    const selectors = [
      ...all(other, 'Deployment').map(({ spec }) => spec!.selector.matchLabels),
      ...all(other, 'Service').map(({ spec }) => spec!.selector),
      ...all(other, 'PodDisruptionBudget').map(({ spec }) => spec!.selector!.matchLabels),
      ...all(other, 'NetworkPolicy').map(({ spec }) => spec!.podSelector.matchLabels),
    ];
    expect(selectors.map((labels) => labels!['app.kubernetes.io/instance'])).toEqual(selectors.map(() => 'other'));
    for (const { labels } of podsOf(other)) expect(labels['app.kubernetes.io/instance']).toBe('other');
  });

  test('takes the values of the how-to, and the versions of Kubernetes that it names', async () => {
    const page = readFileSync(join(FOLDER, '../../docs/how-to/run-on-kubernetes.md'), 'utf8');
    const values = parse(/^```yaml\n([^]+?)^```$/m.exec(page)![1]!) as object;
    const objects = await chartOf(values);
    expect(named(objects, 'ConfigMap', 'rain-settings').data).toMatchObject({ DURABILITY: 'replicas=1' });
    const { kubeVersion } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { kubeVersion: string };
    expect(kubeVersion).toBe(`>=${/Kubernetes ([\d.]+) or newer/.exec(page)![1]}.0-0`);
  });
});
