import type { Config } from '../../platform/config.ts';
import { throttled, type Logger } from '../../platform/telemetry/log.ts';
import { openTraces, type Traces } from '../../platform/telemetry/traces.ts';

const TELL_AGAIN_MS = 60_000;

/** Where traces go, when a collector is configured. One that does not answer is told of once a minute. */
export async function openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACES_ONE_IN: oneIn }: Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'TRACES_ONE_IN'>, service: string, log: Logger): Promise<Traces | undefined> {
  if (endpoint === undefined) return undefined;
  const onFault = throttled((error: Error) => log.warn({ error: error.message }, 'the collector does not take our traces; nothing else suffers'), TELL_AGAIN_MS);
  const traces = await openTraces({ endpoint, service, oneIn, onFault });
  log.info({ oneIn }, 'wins are followed');
  return traces;
}
