const HEAD_END = '\r\n\r\n';

/** Splits the data of a keep-alive connection into the bodies of the answers. */
export function bodyReader(onBody: (chunk: Buffer, start: number, end: number, status: number) => void): (chunk: Buffer) => void {
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

export function grabRequest(token: string, rainId: string): Buffer {
  const body = JSON.stringify({ rainId });
  return Buffer.from(`POST /grab HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}
