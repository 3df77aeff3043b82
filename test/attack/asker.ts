import { request, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** `undefined` where the body is no JSON. */
  json: Record<string, unknown> | undefined;
}

export interface Question {
  method?: string;
  headers?: Readonly<Record<string, string | string[]>>;
  /** An object is sent as JSON; text as it is. */
  body?: unknown;
  /** The address of this machine that it comes from. */
  from?: string;
  timeoutMs?: number;
}

/**
 * One request over a connection of its own. The path is sent as it is written: no URL is parsed that would tidy it up.
 */
export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, from = '127.0.0.1', timeoutMs = 20_000 }: Question = {},
): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const described =
    text === undefined
      ? {}
      : {
          ...(typeof body !== 'string' && { 'content-type': 'application/json' }),
          'content-length': String(Buffer.byteLength(text)),
        };
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        localAddress: from,
        agent: false,
        headers: { ...described, ...headers },
      },
      (answer) => {
        const finish = (received: string) =>
          resolve({ status: answer.statusCode!, headers: answer.headers, text: received, json: parsed(received) });
        // A stream has no end of its own.
        if (answer.headers['content-type']?.startsWith('text/event-stream')) {
          answer.destroy();
          return finish('');
        }
        const chunks: Buffer[] = [];
        return answer
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => finish(String(Buffer.concat(chunks))))
          .on('error', reject);
      },
    );
    asking.setTimeout(timeoutMs, () => asking.destroy(new Error(`nothing was answered to ${method} ${path}`)));
    asking.on('error', reject).end(text);
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
