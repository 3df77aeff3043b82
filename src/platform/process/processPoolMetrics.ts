import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { z } from 'zod';
import type { PoolMember } from './processPool.ts';
import type { MetricsRegistry, MetricDescription } from '../telemetry/metrics.ts';

/** Who does not answer is left out of a scrape after this time, so that the others are still told. */
const ANSWER_MS_MAX = 2_500;

type Figures = MetricObjectWithValues<MetricValue<string>>[];

const question = z.object({ ask: z.literal('metrics'), id: z.int() });
const answer = z.object({ id: z.int(), metrics: z.array(z.looseObject({ name: z.string() })) });

/** In a process of a crew: answers the parent's question for its figures from now on. */
export function answerForMetrics(registry: MetricsRegistry): void {
  process.on('message', (message) => {
    const asked = question.safeParse(message);
    if (!asked.success) return;
    void registry.getMetricsAsJSON().then((metrics) => {
      if (process.connected) process.send!({ id: asked.data.id, metrics });
    }, () => {});
  });
}

/**
 * The figures of a whole crew on one page, each with the number of its process as a label, those of the parent with
 * `parent`. Labels rather than sums: a sum falls when one process dies and its count begins anew, and who computes rates
 * from it would take that for a restart of all.
 */
export function processPoolMetrics(members: () => readonly PoolMember[], own: MetricsRegistry): MetricDescription {
  let asked = 0;
  const ask = (member: PoolMember): Promise<Figures> => new Promise((resolve) => {
    const id = ++asked;
    const finish = (figures: Figures) => {
      clearTimeout(late);
      stop();
      resolve(figures);
    };
    const late = setTimeout(finish, ANSWER_MS_MAX, []);
    const stop = member.listen((message) => {
      const heard = answer.safeParse(message);
      if (heard.success && heard.data.id === id) finish(heard.data.metrics as unknown as Figures);
    });
    member.say({ ask: 'metrics', id });
  });
  return {
    contentType: own.contentType,
    async metrics() {
      const [parent, ...pool] = await Promise.all([
        own.getMetricsAsJSON().then((figures) => labelled(figures as unknown as Figures, 'parent')),
        ...members().map(async (member) => labelled(await ask(member), String(member.number))),
      ]);
      return AggregatorRegistry.aggregate([parent, ...pool]).metrics();
    },
  };
}

/** With labels that differ nothing is ever added up; `sum` says so for those, too, that prom-client would leave out. */
function labelled(figures: Figures, process: string): Figures {
  return figures.map((figure) => ({ ...figure, aggregator: 'sum', values: figure.values.map((value) => ({ ...value, labels: { ...value.labels, process } })) }));
}
