import { createHash } from 'node:crypto';
import type { NodeTracerConfig } from '@opentelemetry/sdk-trace-node';
import { deadlineIn } from '../concurrency/deadline.ts';
import { optionalPackages } from '../process/optionalPackage.ts';
import { VERSION } from '../process/version.ts';

/** One step of a trace through several processes; times in epoch ms. Never put amounts or tokens into it. */
interface Step {
  /** Name of the trace, the same in every process. */
  of: string;
  name: string;
  /** Name of the previous step; absent for the first. */
  after?: string | undefined;
  startMs: number;
  endMs: number;
  attributes?: Record<string, string | number>;
}

/** Records steps. Nothing here throws, and nothing waits for the collector. */
export type Traces = Awaited<ReturnType<typeof openTraces>>;

export interface TracesOptions {
  /** Base address of the collector, e.g. `http://127.0.0.1:4318`; OTLP over HTTP, JSON. */
  endpoint: string;
  service: string;
  /** One in so many is traced. */
  oneIn: number;
  /** Called when the collector does not accept the steps. */
  onFault?: (error: Error) => void;
}

/** Limits of the send queue [R10]; steps beyond them are dropped. */
const SEND_MS_MAX = 3_000;
const QUEUE = {
  maxQueueSize: 4_096,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 1_000,
  exportTimeoutMillis: SEND_MS_MAX,
} as const;
/** How long a closing process waits for the collector, ms. */
const CLOSE_MS = 1_000;

const hexOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);
/** The ids of a step are derived from names alone, so that all processes compute the same ids without communication. */
export const traceIdOf = (of: string): string => hexOf(of, 32);
export const spanIdOf = (of: string, name: string): string => hexOf(`${of}\n${name}`, 16);

const PACKAGES = ['@opentelemetry/api', '@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-http'];

/** The packages are imported here, so that a process without a collector does not load them. @throws PackageMissing */
export async function openTraces({ endpoint, service, oneIn, onFault = () => {} }: TracesOptions) {
  const [
    { ROOT_CONTEXT, trace, TraceFlags },
    { AlwaysOnSampler, BatchSpanProcessor, NodeTracerProvider },
    { OTLPTraceExporter },
  ] = await optionalPackages('tracing (OTEL_EXPORTER_OTLP_ENDPOINT)', PACKAGES, () =>
    Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]),
  );
  const next = { traceId: '', spanId: '' };
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: SEND_MS_MAX,
  });
  const provider = new NodeTracerProvider({
    resource: resourceOf({ 'service.name': service, 'service.version': VERSION }),
    sampler: new AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [
      new BatchSpanProcessor(
        {
          export: (spans, done) =>
            exporter.export(spans, (result) => {
              if (result.error) onFault(result.error);
              done(result);
            }),
          shutdown: () => exporter.shutdown(),
        },
        QUEUE,
      ),
    ],
  });
  const tracer = provider.getTracer('red-packet-rain', VERSION);

  return {
    /** Whether this one is traced; every process decides the same. */
    follows: (of: string): boolean => oneIn === 1 || parseInt(traceIdOf(of).slice(-8), 16) % oneIn === 0,
    tell({ of, name, after, startMs, endMs, attributes }: Step): void {
      const traceId = (next.traceId = traceIdOf(of));
      next.spanId = spanIdOf(of, name);
      const before =
        after === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {
              traceId,
              spanId: spanIdOf(of, after),
              traceFlags: TraceFlags.SAMPLED,
              isRemote: true,
            });
      try {
        tracer.startSpan(name, { startTime: startMs, ...(attributes && { attributes }) }, before).end(endMs);
      } catch (error) {
        // The caller is handling money: a fault of the tracing must not disturb it.
        onFault(error instanceof Error ? error : new Error(String(error)));
      }
    },
    /** Sends the remaining steps. */
    close: async (withinMs = CLOSE_MS) => void (await deadlineIn(withinMs).within(provider.shutdown().catch(() => {}))),
  };
}

/** Only these attributes are sent. The default resource would add the command line and values of the environment. */
function resourceOf(attributes: Record<string, string>): NonNullable<NodeTracerConfig['resource']> {
  const resource: NonNullable<NodeTracerConfig['resource']> = {
    attributes,
    asyncAttributesPending: false,
    waitForAsyncAttributes: async () => {},
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return resource;
}

/** A time of the monotonic clock as epoch ms. */
export const epochOf = (monotonicMs: number): number => performance.timeOrigin + monotonicMs;
