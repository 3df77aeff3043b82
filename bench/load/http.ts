import { SKU } from './constants.ts';

const HEAD_END = '\r\n\r\n';

/** Splits the data of a keep-alive connection into the bodies of the answers. */
export function bodyReader(
  onBody: (chunk: Buffer, start: number, end: number, status: number) => void,
): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (incoming) => {
    let chunk = rest ? Buffer.concat([rest, incoming]) : incoming;
    rest = undefined;
    while (chunk.length > 0) {
      const headEnd = chunk.indexOf(HEAD_END);
      if (headEnd < 0) break;
      const head = chunk.toString('latin1', 0, headEnd);
      const start = headEnd + HEAD_END.length;
      const end = start + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (end > chunk.length) break;
      onBody(chunk, start, end, Number(head.slice(9, 12)));
      chunk = chunk.subarray(end);
    }
    if (chunk.length > 0) rest = chunk;
  };
}

export type RequestName = 'http' | 'saleHttp';

/** The requests of a user of each design. A buyer has one purchase in a sale, and names it the same each time. */
export const REQUESTS: Record<RequestName, (token: string, id: string) => Buffer> = {
  http: (token, rainId) => post('/grab', token, { rainId }),
  saleHttp: (token, saleId) => post(`/v1/sales/${saleId}/buy`, token, { sku: SKU }, 'Idempotency-Key: mine\r\n'),
};

function post(path: string, token: string, body: object, headers = ''): Buffer {
  const text = JSON.stringify(body);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${text.length}\r\n\r\n${text}`,
  );
}
