import type { RandomSource } from '../../../src/rain/fairness.ts';

/** Valid client messages, before they are corrupted. */
const SENTENCES = [
  '{"type":"grab","rainId":"r1","ref":"a"}',
  '{"type":"grab","rainId":"r1"}',
  '{"type":"join","rainId":"r1"}',
  '{"type":"join","rainId":"nowhere"}',
  '{"type":"ping","t":17.5}',
] as const;

/** Values that are valid in no field. */
const ODD = [
  '1e999',
  '-0',
  '1e308',
  '123456789012345678901234567890',
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"{r1/0}"',
  '"__proto__"',
  '{"$ne":""}',
  '{"toString":1}',
  '"\u202e"',
  '0x10',
  'NaN',
  "'r1'",
  `"${'x'.repeat(300)}"`,
  '[[[[[[[[]]]]]]]]',
] as const;
const KEYS = [
  '"__proto__"',
  '"constructor"',
  '"prototype"',
  '"userId"',
  '"type"',
  '""',
  '"\\u0000"',
  '"toString"',
] as const;

type Mutation = (text: string, random: RandomSource) => Buffer;

const pick = <T>(from: readonly T[], random: RandomSource): T => from[random.belowNumber(from.length)]!;

function flipBits(text: string, random: RandomSource): Buffer {
  const bytes = Buffer.from(text);
  // Within seven bits the text stays valid UTF-8 and reaches the parser; other bytes are for `fatalFrame`.
  for (let n = 1 + random.belowNumber(4); n > 0; n--)
    bytes[random.belowNumber(bytes.length)]! ^= 1 << random.belowNumber(7);
  return bytes;
}

/** Ways to corrupt a text frame while the connection stays valid. */
const MUTATIONS: readonly Mutation[] = [
  flipBits,
  (text, random) => Buffer.from(text.slice(0, random.belowNumber(text.length))),
  (text, random) =>
    Buffer.from(
      text.replace(/:("[^"]*"|[\d.]+)/g, (value) => (random.belowNumber(2) === 0 ? `:${pick(ODD, random)}` : value)),
    ),
  (text, random) => Buffer.from(text.replace('{', `{${pick(KEYS, random)}:${pick(ODD, random)},`)),
  (text, random) => Buffer.from(text.replace(/}$/, `,${pick(KEYS, random)}:${pick(ODD, random)}}`)),
  (text, random) => Buffer.from(`${pick(['[', '{"a":'], random).repeat(1 + random.belowNumber(600))}${text}`),
  (_text, random) => Buffer.from('['.repeat(2_000) + ']'.repeat(random.belowNumber(2_001))),
  (text, random) => Buffer.from(text + text.slice(random.belowNumber(text.length))),
  (text, random) => Buffer.from(text.replaceAll('"', pick(['', "'", '\0', '\\"', '“'], random))),
  (_text, random) => Buffer.from(Array.from({ length: random.belowNumber(60) }, () => random.belowNumber(128))),
  (_text, random) => Buffer.from(pick(ODD, random)),
  (text) => Buffer.from(text),
];

const TEXT = 1;
const BINARY = 2;

/** One WebSocket frame of a client. A mask of zeros is a mask. */
export function clientFrame(payload: Buffer, opcode: number, final = true): Buffer {
  const length = payload.length;
  const head =
    length < 126 ? Buffer.from([0, 0x80 | length]) : Buffer.from([0, 0x80 | 126, length >> 8, length & 0xff]);
  head[0] = (final ? 0x80 : 0) | opcode;
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

/** A frame that the gateway can answer: corrupted text, binary data, or fragmented text. */
export function spoiltFrame(random: RandomSource): Buffer {
  const payload = pick(MUTATIONS, random)(pick(SENTENCES, random), random).subarray(0, 4_096);
  const way = random.belowNumber(20);
  if (way === 0) return clientFrame(payload, BINARY);
  if (way > 2 || payload.length < 2) return clientFrame(payload, TEXT);
  const cut = 1 + random.belowNumber(payload.length - 1);
  return Buffer.concat([clientFrame(payload.subarray(0, cut), TEXT, false), clientFrame(payload.subarray(cut), 0)]);
}

/** A valid one, for floods. */
export const plainFrame = (random: RandomSource): Buffer => clientFrame(Buffer.from(pick(SENTENCES, random)), TEXT);

/** A frame after which no WebSocket can continue, and the code with which it must be closed. */
export function fatalFrame(random: RandomSource): { bytes: Buffer; code: number } {
  const text = Buffer.from('{"type":"ping","t":1}');
  const ways: { bytes: () => Buffer; code: number }[] = [
    { bytes: () => clientFrame(Buffer.from([0x22, 0xc3, 0x28, 0x22]), TEXT), code: 1007 },
    { bytes: () => clientFrame(Buffer.from([0xed, 0xa0, 0x80]), TEXT), code: 1007 },
    { bytes: () => clientFrame(Buffer.alloc(4_097, 0x20), TEXT), code: 1009 },
    { bytes: () => Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), code: 1009 },
    {
      bytes: () =>
        Buffer.concat([clientFrame(Buffer.alloc(3_000, 0x20), TEXT, false), clientFrame(Buffer.alloc(3_000, 0x20), 0)]),
      code: 1009,
    },
    { bytes: () => clientFrame(text, 3 + random.belowNumber(5)), code: 1002 },
    { bytes: () => clientFrame(text, 0), code: 1002 },
    {
      bytes: () => {
        const bytes = clientFrame(text, TEXT);
        bytes[0]! |= 0x10 << random.belowNumber(3);
        return bytes;
      },
      code: 1002,
    },
    {
      bytes: () => {
        const bytes = clientFrame(text, TEXT);
        bytes[1]! &= 0x7f;
        return bytes;
      },
      code: 1002,
    },
    { bytes: () => clientFrame(text, 9, false), code: 1002 },
    { bytes: () => clientFrame(Buffer.alloc(126), 9), code: 1002 },
    { bytes: () => clientFrame(Buffer.from([3]), 8), code: 1002 },
    { bytes: () => clientFrame(Buffer.from([0x03, 0xed]), 8), code: 1002 },
  ];
  const { bytes, code } = pick(ways, random);
  return { bytes: bytes(), code };
}
