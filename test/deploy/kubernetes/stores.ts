import { all, containersOf, podsOf, type KubernetesObject } from './objects.ts';
import { mebibytes, type Facts } from './servers.ts';

/** Redis asks for memory as `2gb`. */
const REDIS_UNITS: Record<string, number> = { mb: 1, gb: 1_024 };

/** The lines of redis.conf that an operator is given, by their names. */
export function redisConfOf(objects: readonly KubernetesObject[], name: string): Map<string, string> {
  const text = all(objects, 'ConfigMap').find(({ metadata }) => metadata!.name === name)?.data![
    'redis-additional.conf'
  ];
  return new Map(
    (text ?? '')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );
}

/** A Redis that reaches the limit of its container is killed, and refuses nothing. */
function redisComplaints(objects: readonly KubernetesObject[]): string[] {
  return [...all(objects, 'RedisReplication'), ...all(objects, 'RedisCluster')].flatMap(({ metadata, spec }) => {
    const conf = redisConfOf(objects, (spec.redisConfig ?? spec.redisLeader!.redisConfig!).additionalRedisConfig);
    const [, amount, unit] = /^(\d+)([mg]b)$/.exec(conf.get('maxmemory') ?? '') ?? [];
    const limit = mebibytes(spec.kubernetesConfig!.resources!.limits!['memory']!);
    return [
      ...(amount && Number(amount) * REDIS_UNITS[unit!]! * 2 <= limit
        ? []
        : [`${metadata.name}: maxmemory is not at most half of the limit of ${limit} Mi`]),
      ...(conf.get('maxmemory-policy') === 'noeviction' ? [] : [`${metadata.name}: evicts when it is full`]),
    ];
  });
}

/** The address of PostgreSQL names the file of its CA, which a volume must bring into the container. */
function caComplaints(objects: readonly KubernetesObject[], { secrets }: Facts): string[] {
  return podsOf(objects).flatMap((pods) =>
    containersOf(pods).flatMap(({ name, env = [], volumeMounts = [] }) => {
      const { name: secret = '', key = '' } =
        env.find((one) => one.name === 'DATABASE_URL')?.valueFrom?.secretKeyRef ?? {};
      const url = secrets.get(secret)?.[key];
      if (url === undefined) return [];
      const { searchParams } = new URL(url);
      const files = volumeMounts.flatMap(({ name: volume, mountPath }) =>
        (pods.spec.volumes?.find((one) => one.name === volume)?.secret?.items ?? []).map(
          ({ path }) => `${mountPath}/${path}`,
        ),
      );
      return [
        ...(searchParams.get('sslmode') === 'verify-full' ? [] : [`${name}: talks to PostgreSQL without TLS`]),
        ...(files.includes(searchParams.get('sslrootcert') ?? '')
          ? []
          : [`${name}: no volume brings ${searchParams.get('sslrootcert')}`]),
      ];
    }),
  );
}

export const storeComplaints = (objects: readonly KubernetesObject[], facts: Facts): string[] => [
  ...redisComplaints(objects),
  ...caComplaints(objects, facts),
];
