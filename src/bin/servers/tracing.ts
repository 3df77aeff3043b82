import type { Config } from '../../platform/config.ts';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { throttled, type Logger } from '../../platform/telemetry/log.ts';
import { openTraces, type Traces } from '../../platform/telemetry/traces.ts';

const WARN_EVERY_MS = 60_000;

/**
 * Exports traces until the shutdown, when a collector is configured. An unreachable collector is logged once a minute.
 */
export async function openTracing(
  config: Config,
  service: string,
  log: Logger,
  shutdown: Shutdown,
): Promise<Traces | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACES_ONE_IN: oneIn } = config;
  if (endpoint === undefined) return undefined;
  const onFault = throttled(
    (error: Error) =>
      log.warn({ error: error.message }, 'the collector does not accept our traces; nothing else is affected'),
    WARN_EVERY_MS,
  );
  const traces = await openTraces({ endpoint, service, oneIn, onFault });
  shutdown.onClose('traces', () => traces.close());
  log.info({ oneIn }, 'tracing of wins is on');
  return traces;
}
