import { createHash } from 'node:crypto';
import type { NodeTracerConfig } from '@opentelemetry/sdk-trace-node';
import { deadlineIn } from '../concurrency/deadline.ts';
import { VERSION } from '../process/version.ts';

/** One step of something that is followed through several processes. Never hand it amounts or tokens. */
interface Step {
  /** What is followed, the same text in every process. */
  of: string;
  name: string;
  /** The name of the step before; absent for the first. */
  after?: string | undefined;
  /** Epoch ms. */
  startMs: number;
  endMs: number;
  attributes?: Record<string, string | number>;
}

/** Where steps are told. Nothing here throws, and nothing waits for a collector. */
export interface Traces {
  /** Whether this one is among those that are followed; every process says the same. */
  follows(of: string): boolean;
  tell(step: Step): void;
  /** Sends what has not been sent, within the time. */
  close(withinMs?: number): Promise<void>;
}

export interface TracesOptions {
  /** Base address of the collector, e.g. `http://127.0.0.1:4318`; OTLP over HTTP, JSON. */
  endpoint: string;
  /** As which service we are known there. */
  service: string;
  /** One in so many is followed. */
  oneIn: number;
  /** Told when the collector does not take what it is sent. */
  onFault?: (error: Error) => void;
}

/** What waits to be sent at most [R10]; what does not fit is not sent. */
const LIMITS = { spansWaitingMax: 4_096, spansAtOnce: 512, everyMs: 1_000, sendMsMax: 3_000 } as const;
/** How long a process that closes waits for its collector. */
const CLOSE_MS = 1_000;

/** The ids of a step. They follow from names alone, so that processes agree on them without telling each other. */
export function traceIdOf(of: string): string {
  return createHash('sha256').update(of).digest('hex').slice(0, 32);
}

export function spanIdOf(of: string, name: string): string {
  return createHash('sha256').update(`${of}\n${name}`).digest('hex').slice(0, 16);
}

/** The packages are loaded here and not before: who configures no collector pays nothing. */
export async function openTraces({ endpoint, service, oneIn, onFault = () => {} }: TracesOptions): Promise<Traces> {
  const [{ ROOT_CONTEXT, trace, TraceFlags }, { AlwaysOnSampler, BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'), import('@opentelemetry/sdk-trace-node'), import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const next = { traceId: '', spanId: '' };
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: LIMITS.sendMsMax });
  const provider = new NodeTracerProvider({
    resource: resourceOf({ 'service.name': service, 'service.version': VERSION }),
    sampler: new AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [new BatchSpanProcessor({
      export: (spans, done) => exporter.export(spans, (result) => {
        if (result.error) onFault(result.error);
        done(result);
      }),
      shutdown: () => exporter.shutdown(),
    }, { maxQueueSize: LIMITS.spansWaitingMax, maxExportBatchSize: LIMITS.spansAtOnce, scheduledDelayMillis: LIMITS.everyMs, exportTimeoutMillis: LIMITS.sendMsMax })],
  });
  const tracer = provider.getTracer('red-packet-rain', VERSION);

  return {
    follows: (of) => oneIn === 1 || parseInt(traceIdOf(of).slice(-8), 16) % oneIn === 0,
    tell({ of, name, after, startMs, endMs, attributes }) {
      const traceId = next.traceId = traceIdOf(of);
      next.spanId = spanIdOf(of, name);
      const before = after === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: spanIdOf(of, after), traceFlags: TraceFlags.SAMPLED, isRemote: true });
      try {
        tracer.startSpan(name, { startTime: startMs, ...(attributes && { attributes }) }, before).end(endMs);
      } catch (error) {
        // Whoever tells a step has money in hand: whatever is wrong with the telling is not his affair.
        onFault(error instanceof Error ? error : new Error(String(error)));
      }
    },
    close: async (withinMs = CLOSE_MS) => void await deadlineIn(withinMs).within(provider.shutdown().catch(() => {})),
  };
}

/** All that we say of ourselves. The default one would add the command line and whatever else the environment says. */
function resourceOf(attributes: Record<string, string>): NonNullable<NodeTracerConfig['resource']> {
  const resource: NonNullable<NodeTracerConfig['resource']> = {
    attributes, asyncAttributesPending: false, waitForAsyncAttributes: async () => {}, merge: () => resource, getRawAttributes: () => Object.entries(attributes),
  };
  return resource;
}

/** A moment of the monotonic clock as epoch ms. */
export function epochOf(monotonicMs: number): number {
  return performance.timeOrigin + monotonicMs;
}
