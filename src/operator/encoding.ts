/** Bytes that are not UTF-8 text. `line` counts from 1. */
export class NotUtf8 extends Error {
  override name = 'NotUtf8';
  readonly line: number;
  constructor(line: number) {
    super(`line ${line} is not UTF-8`);
    this.line = line;
  }
}

const NEWLINE = 0x0a;

/**
 * Passes bytes on unchanged while they are UTF-8. A decoder that replaces what it cannot read would turn users into others. A NUL is
 * valid UTF-8, and in a text it means UTF-16.
 * @throws NotUtf8 with the line
 */
export async function* utf8Only(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  const check = (part?: Buffer): void => {
    if (part?.includes(0)) throw new NotUtf8(line);
    try {
      // A character may continue in the next part.
      decoder.decode(part, { stream: part !== undefined });
    } catch {
      throw new NotUtf8(line);
    }
  };
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length;) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.length : newline + 1;
      check(chunk.subarray(start, end));
      if (newline >= 0) line++;
      start = end;
    }
    yield chunk;
  }
  check();
}
