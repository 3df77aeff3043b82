import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { z } from 'zod';
import { inTime } from '../concurrency/deadline.ts';
import type { MetricsRegistry, MetricDescription } from '../telemetry/metrics.ts';
import type { PoolMember } from './processPool.ts';

/**
 * A process that has not answered after this time is left out of the scrape, so that the others are still reported, ms.
 */
const ANSWER_MS_MAX = 2_500;

type Metrics = MetricObjectWithValues<MetricValue<string>>[];

const metricsRequest = z.object({ ask: z.literal('metrics'), id: z.int() });
const metricsReply = z.object({ id: z.int(), metrics: z.array(z.looseObject({ name: z.string() })) });

/** In a process of a pool: answers the parent's requests for its metrics from now on. */
export function answerForMetrics(registry: MetricsRegistry): void {
  process.on('message', (message) => {
    const request = metricsRequest.safeParse(message);
    if (!request.success) return;
    void registry.getMetricsAsJSON().then(
      (metrics) => {
        if (process.connected) process.send!({ id: request.data.id, metrics });
      },
      () => {},
    );
  });
}

/**
 * All metrics of a pool, labelled by process: a sum would fall when one dies, which a rate takes for a restart of all.
 */
export function processPoolMetrics(members: () => readonly PoolMember[], own: MetricsRegistry): MetricDescription {
  let lastId = 0;
  async function request(member: PoolMember): Promise<Metrics> {
    const id = ++lastId;
    let stop = () => {};
    const answer = new Promise<Metrics>((resolve) => {
      stop = member.listen((message) => {
        const reply = metricsReply.safeParse(message);
        if (reply.success && reply.data.id === id) resolve(reply.data.metrics as unknown as Metrics);
      });
    });
    member.send({ ask: 'metrics', id });
    return (await inTime(answer, ANSWER_MS_MAX).finally(stop)) ?? [];
  }
  return {
    contentType: own.contentType,
    async metrics() {
      const [parent, ...pool] = await Promise.all([
        own.getMetricsAsJSON().then((metrics) => labelled(metrics as unknown as Metrics, 'parent')),
        ...members().map(async (member) => labelled(await request(member), String(member.number))),
      ]);
      return AggregatorRegistry.aggregate([parent, ...pool]).metrics();
    },
  };
}

/**
 * The labels differ, so no samples are ever added up. `sum` also keeps the metrics that prom-client would leave out.
 */
function labelled(metrics: Metrics, process: string): Metrics {
  return metrics.map((metric) => ({
    ...metric,
    aggregator: 'sum',
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, process } })),
  }));
}
