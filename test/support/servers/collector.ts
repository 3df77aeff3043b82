import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const value = z.union([
  z.object({ stringValue: z.string() }),
  z.object({ intValue: z.union([z.number(), z.string()]) }),
  z.object({ doubleValue: z.number() }),
]);
const attributes = z.array(z.object({ key: z.string(), value })).default([]);
const span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes,
});
const exported = z.object({
  resourceSpans: z.array(
    z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
});

interface HeardSpan extends Omit<z.infer<typeof span>, 'attributes'> {
  service: string;
  attributes: Record<string, string>;
}

export interface Collector {
  /** `http://127.0.0.1:port` */
  url: string;
  heard: HeardSpan[];
  /** Everything it was sent, as text. */
  raw: string[];
  close(): Promise<void>;
}

const named = (list: z.infer<typeof attributes>) =>
  Object.fromEntries(list.map(({ key, value: one }) => [key, String(Object.values(one)[0])]));

/** Takes OTLP over HTTP in JSON, as a collector would, and keeps what it hears. */
export async function startCollector(status = 200): Promise<Collector> {
  const [heard, raw]: [HeardSpan[], string[]] = [[], []];
  const hear = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: unknown = await json(request);
    raw.push(JSON.stringify(body));
    if (request.url === '/v1/traces') {
      for (const { resource, scopeSpans } of exported.parse(body).resourceSpans) {
        const service = named(resource.attributes)['service.name']!;
        for (const { spans } of scopeSpans)
          for (const one of spans) heard.push({ ...one, service, attributes: named(one.attributes) });
      }
    }
    response.writeHead(request.url === '/v1/traces' ? status : 404, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void hear(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    raw,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
