/** Bytes that are not UTF-8 text. `line` counts from 1. */
export class NotUtf8 extends Error {
  override name = 'NotUtf8';
  readonly line: number;
  /** The file is a ZIP, as the workbooks of spreadsheets are. */
  readonly isWorkbook: boolean;
  constructor(line: number, isWorkbook: boolean) {
    super(`line ${line} is not UTF-8`);
    this.line = line;
    this.isWorkbook = isWorkbook;
  }
}

const NEWLINE = 0x0a;
const ZIP = Buffer.from('PK\u0003\u0004');

/**
 * Passes bytes on unchanged while they are UTF-8. A decoder that replaces what it cannot read would turn users into
 * others. A NUL is valid UTF-8, and in a text it means UTF-16.
 * @throws NotUtf8 with the line
 */
export async function* utf8Only(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  let isWorkbook = false;
  const check = (part?: Buffer): void => {
    if (part?.includes(0)) throw new NotUtf8(line, isWorkbook);
    try {
      // A character may continue in the next part.
      decoder.decode(part, { stream: part !== undefined });
    } catch {
      throw new NotUtf8(line, isWorkbook);
    }
  };
  let isFirst = true;
  for await (const chunk of bytes) {
    if (isFirst) isWorkbook = chunk.subarray(0, ZIP.length).equals(ZIP);
    isFirst = false;
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
