import type { NetworkPolicyPeer } from 'kubernetes-types/networking/v1.d.ts';
import { all, type KubernetesObject, type Pods } from './objects.ts';
import { selects } from './selectors.ts';

/** The traffic that the policies let through, in words. Empty lists: nothing. */
interface Reach {
  hears: string[];
  asks: Set<string>;
}

const peerName = ({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer): string => {
  if (ipBlock) return ipBlock.cidr;
  if (namespaceSelector) return namespaceSelector.matchLabels!['kubernetes.io/metadata.name']!;
  const { matchLabels = {}, matchExpressions = [] } = podSelector!;
  return [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, values }) => `${key} in ${values!.join()}`),
  ].join(' and ');
};

/** @throws when a direction of these pods is not restricted at all */
export function reachOf(objects: readonly KubernetesObject[], { name, labels }: Pods): Reach {
  const policies = all(objects, 'NetworkPolicy')
    .map(({ spec }) => spec!)
    .filter(({ podSelector }) => selects(podSelector, labels));
  for (const direction of ['Ingress', 'Egress'])
    if (!policies.some(({ policyTypes }) => policyTypes!.includes(direction)))
      throw new Error(`${name}: ${direction} is not restricted`);
  const rule = (
    word: string,
    peers: readonly NetworkPolicyPeer[] | undefined,
    ports: readonly { port?: number | string }[] | undefined,
  ): string[] =>
    (ports ?? [{ port: 'every port' }]).flatMap(({ port }) =>
      (peers?.map(peerName) ?? ['everybody']).map((peer) => `${port} ${word} ${peer}`),
    );
  return {
    hears: policies
      .flatMap(({ ingress = [] }) => ingress.flatMap(({ from, ports }) => rule('from', from, ports)))
      .sort()
      .reverse(),
    asks: new Set(policies.flatMap(({ egress = [] }) => egress.flatMap(({ to, ports }) => rule('of', to, ports)))),
  };
}
