import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { listen } from '../../../src/gateway/sockets/http.ts';
import { FOLDER, parseObjects } from './kubectl.ts';
import type { KubernetesObject } from './objects.ts';

export const CHART = join(FOLDER, '../helm/red-packet-rain');

/** Values without a default, as the kustomize base has them. */
export const REQUIRED = {
  image: { repository: 'red-packet-rain' },
  host: 'rain.example.com',
  route: { parentRefs: [{ name: 'public', namespace: 'ingress', sectionName: 'https' }] },
};

export interface Helm {
  /** @throws the message of helm, when it refuses the values */
  render(values: object, ...options: string[]): Promise<KubernetesObject[]>;
  lint(values: object): Promise<string>;
}

/** @param folder is written to */
export function openHelm(helm: string, folder: string, release = 'rain'): Helm {
  const run = async (words: readonly string[], values: object): Promise<string> => {
    const file = join(mkdtempSync(join(folder, 'values-')), 'values.yaml');
    writeFileSync(file, stringify(values));
    // Without the settings and the cluster of whoever runs the test. A refusal is thrown with what helm says.
    const env = { HOME: folder, PATH: process.env['PATH'], TMPDIR: tmpdir() };
    return (await promisify(execFile)(helm, [...words, CHART, '--values', file], { env })).stdout;
  };
  return {
    render: async (values, ...options) =>
      parseObjects(await run(['template', release, '--namespace', 'red-packet-rain', ...options], values)),
    lint: (values) => run(['lint', '--strict', '--quiet'], values),
  };
}

/** Kinds that the cluster below knows, by their group and version. */
const API_KINDS: Readonly<Record<string, readonly string[]>> = {
  v1: ['Secret', 'ConfigMap', 'Service'],
  'apps/v1': ['Deployment'],
  'policy/v1': ['PodDisruptionBudget'],
};

/** Answers of a cluster to the question for what it has. */
function discovery(): Record<string, object> {
  const lists = Object.entries(API_KINDS).map(([groupVersion, kinds]) => [
    groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`,
    {
      kind: 'APIResourceList',
      groupVersion,
      resources: kinds.map((kind) => ({ name: `${kind.toLowerCase()}s`, namespaced: true, kind, verbs: ['get'] })),
    },
  ]);
  const groups = Object.keys(API_KINDS)
    .filter((groupVersion) => groupVersion !== 'v1')
    .map((groupVersion) => {
      const [name, version] = groupVersion.split('/');
      return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
    });
  return {
    ...Object.fromEntries(lists),
    '/version': { major: '1', minor: '35', gitVersion: 'v1.35.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
  };
}

/**
 * A cluster that has nothing but Secrets, as far as helm asks.
 * @param versions by the names of the Secrets
 */
export async function startSecretsApi(versions: Readonly<Record<string, string>>) {
  const answers = discovery();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://127.0.0.1');
    const name = /^\/api\/v1\/namespaces\/red-packet-rain\/secrets\/([^/]+)$/.exec(pathname)?.[1];
    const version = name && versions[name];
    const found = version
      ? { kind: 'Secret', apiVersion: 'v1', metadata: { name, resourceVersion: version } }
      : answers[pathname];
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { kind: 'Status', apiVersion: 'v1', reason: 'NotFound', code: 404 }));
  });
  return { url: `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`, close: () => void server.close() };
}
