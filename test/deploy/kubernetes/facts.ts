import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { knownFigures } from '../../support/registries.ts';
import { secretsOf } from './kubectl.ts';
import type { KubernetesObject } from './objects.ts';
import { selectorComplaints } from './selectors.ts';
import { serverComplaints, type Facts } from './servers.ts';
import { storeComplaints } from './stores.ts';

export interface Compose {
  services: { postgres: { image: string }; redis: { command: string[] } };
}

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

export async function openFacts(kubectl: string): Promise<Facts> {
  const dockerfile = read('deploy/docker/Dockerfile');
  return {
    secrets: secretsOf(kubectl, 'sentinel'),
    version: (JSON.parse(read('package.json')) as { version: string }).version,
    // The image of Node has the user `node`, whose number is 1000. Kubernetes does not take a name for proof that it is
    // not root.
    user: /^FROM node:/m.test(dockerfile) && /^USER node$/m.test(dockerfile) ? 1_000 : NaN,
    postgresImage: (parse(read('deploy/docker/compose.yaml'), { merge: true }) as Compose).services.postgres.image,
    gatewayGauges: (await knownFigures())
      .filter(({ server, kind, labels }) => server === 'gateway' && kind === 'gauge' && labels.length === 0)
      .map(({ name }) => name),
  };
}

export const complaintsOf = (objects: readonly KubernetesObject[], facts: Facts): string[] => [
  ...selectorComplaints(objects),
  ...serverComplaints(objects, facts),
  ...storeComplaints(objects, facts),
];
