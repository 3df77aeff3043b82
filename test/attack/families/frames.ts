import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { RATE_LIMITS } from '../../../src/gateway/ratelimit/limits.ts';
import { SOCKET_LIMITS } from '../../../src/gateway/sockets/limits.ts';
import { tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import type { Attempts, Family } from '../family.ts';
import { enter, inShort, type Line } from '../player.ts';
import { frame, openFrames, type RawFrames } from '../raw.ts';
import type { Scene } from '../scene.ts';

const PING = '{"type":"ping","t":1}';
const [CONTINUATION, TEXT, BINARY, CLOSE, PING_FRAME, PONG_FRAME] = [0, 1, 2, 8, 9, 10];
const { messageBytesMax, fragmentsMax, errorsPerSocketMax } = SOCKET_LIMITS;
const FLOOD = 1_000;

/** The bytes sent over one socket, and the code with which the gateway has to close it. */
type Fatal = readonly [what: string, bytes: Buffer, code: number];

const closing = (code: number, reason: string | Buffer = ''): Buffer => {
  const body = Buffer.alloc(2);
  body.writeUInt16BE(code);
  return frame(Buffer.concat([body, Buffer.from(reason)]), { opcode: CLOSE });
};
const pieces = (count: number, piece: string): Buffer =>
  Buffer.concat([
    frame(piece, { fin: false }),
    ...Array.from({ length: count }, () => frame(piece, { opcode: CONTINUATION, fin: false })),
  ]);
const BAD_UTF8 = [
  Buffer.from([0x22, 0xc3, 0x28, 0x22]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xc0, 0xaf]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
  Buffer.from([0xff]),
];

const FATAL: readonly Fatal[] = [
  ['a text without mask', frame(PING, { masked: false }), 1002],
  ['a ping without mask', frame('', { opcode: PING_FRAME, masked: false }), 1002],
  ['one byte more than a message may have', frame(' '.repeat(messageBytesMax + 1)), 1009],
  ['a megabyte', frame(' '.repeat(1_048_576)), 1009],
  ['a head that promises a terabyte', frame('', { length: 2 ** 40 }), 1009],
  [
    'a head that promises more than a number can hold',
    Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    1009,
  ],
  [
    'a length with the highest bit',
    Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    1009,
  ],
  [
    'two pieces that are too long together',
    Buffer.concat([frame(' '.repeat(3_000), { fin: false }), frame(' '.repeat(3_000), { opcode: CONTINUATION })]),
    1009,
  ],
  ['a message in too many pieces', pieces(fragmentsMax + 1, ' '), 1008],
  ['ten thousand empty pieces', pieces(10_000, ''), 1008],
  ['a piece that continues nothing', frame(PING, { opcode: CONTINUATION }), 1002],
  ['a text between the pieces of another', Buffer.concat([frame('{', { fin: false }), frame(PING)]), 1002],
  ['a piece of a ping', frame('', { opcode: PING_FRAME, fin: false }), 1002],
  ['a piece of a close', frame('', { opcode: CLOSE, fin: false }), 1002],
  ['a ping of 126 bytes', frame('x'.repeat(126), { opcode: PING_FRAME }), 1002],
  ['a close of 126 bytes', frame('x'.repeat(126), { opcode: CLOSE }), 1002],
  ['a compressed message that was not agreed upon', frame(deflateRawSync(Buffer.alloc(1_000_000)), { rsv: 4 }), 1002],
  ...[1, 2, 3, 7].map((rsv): Fatal => [`reserved bits ${rsv}`, frame(PING, { rsv }), 1002]),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): Fatal => [`opcode ${opcode}`, frame('', { opcode }), 1002]),
  ...BAD_UTF8.map((bytes): Fatal => [`text ${bytes.toString('hex')}, which is no UTF-8`, frame(bytes), 1007]),
  ['a letter that is cut off at the end of its message', frame(Buffer.from([0x22, 0xe4, 0xb8])), 1007],
  ['a close with a reason that is no UTF-8', closing(1000, BAD_UTF8[0]!), 1007],
  ['a close of one byte', frame(Buffer.from([3]), { opcode: CLOSE }), 1002],
  ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map((code): Fatal => [
    `a close with ${code}`,
    closing(code),
    1002,
  ]),
];

export const frames: Family = {
  name: 'frames',
  async attack(scene, attempts) {
    const witness = await enter(scene, 'frame-witness');
    const from = scene.address();
    const open = async (userId: string, lines: readonly string[] = []) =>
      openFrames(scene.gateway.port, await tokenFor(userId), from, lines);
    for (const [i, [what, bytes, code]] of FATAL.entries()) {
      const raw = await open(`frame-${i}`);
      raw.write(bytes);
      attempts.refused(what, await endOf(raw), code);
    }
    attempts.control(
      'others are answered after all of these',
      inShort(await witness.ask({ type: 'ping', t: 2 }, 'pong')),
      'pong',
    );
    await controls(attempts, await open('frame-honest'));
    await compression(scene, attempts);
    await binary(attempts, await open('frame-binary'));
    await floods(attempts, open, witness);
    await afterClose(attempts, scene, open);
    await halves(attempts, open, witness);
    attempts.refused('the gateway has ended by then', scene.gateway.isRunning(), true);
    await witness.leave();
  },
};

/** The close code that came; `alive`: the socket is open and answers. */
async function endOf(raw: RawFrames): Promise<number | string> {
  const code = () => raw.frames().find(({ opcode }) => opcode === CLOSE)?.closeCode;
  try {
    return await eventually(() => code() ?? (raw.isClosed() ? 'cut' : false), { timeoutMs: 3_000, everyMs: 5 });
  } catch {
    return 'alive';
  } finally {
    raw.end();
  }
}

async function controls(attempts: Attempts, raw: RawFrames): Promise<void> {
  raw.write(
    Buffer.concat([
      frame(PING.slice(0, 5), { fin: false }),
      frame('between', { opcode: PING_FRAME }),
      frame(PING.slice(5), { opcode: CONTINUATION }),
    ]),
  );
  const heard = (opcode: number, text: string) =>
    eventually(() => raw.frames().some((one) => one.opcode === opcode && one.text.includes(text)), {
      timeoutMs: 3_000,
    }).then(
      () => true,
      () => false,
    );
  attempts.control('a message in two pieces is answered', await heard(TEXT, '"pong"'), true);
  attempts.control('so is a ping between them', await heard(PONG_FRAME, 'between'), true);
  raw.write(frame(PING.padEnd(messageBytesMax)));
  attempts.control(
    'and a message of the greatest length',
    await eventually(() => raw.frames().filter(({ text }) => text.includes('"pong"')).length === 2, {
      timeoutMs: 3_000,
    }).catch(() => false),
    true,
  );
  raw.write(closing(1000, '再见'));
  attempts.control('a close with a code is answered by the same', await endOf(raw), 1000);
}

async function compression(scene: Scene, attempts: Attempts): Promise<void> {
  for (const offer of [
    'permessage-deflate',
    'permessage-deflate; client_max_window_bits; server_no_context_takeover',
    'x-webkit-deflate-frame, permessage-deflate',
  ]) {
    const raw = await openFrames(scene.gateway.port, await tokenFor('frame-bomb'), scene.address(), [
      `Sec-WebSocket-Extensions: ${offer}`,
    ]);
    attempts.refused(
      `the extension ${offer} is agreed upon`,
      /^sec-websocket-extensions:/im.test(raw.received()),
      false,
    );
    raw.write(frame(deflateRawSync(Buffer.alloc(4_000_000)), { rsv: 4 }));
    attempts.refused(`four megabytes in four kilobytes after offering ${offer}`, await endOf(raw), [1002, 1009]);
  }
}

async function binary(attempts: Attempts, raw: RawFrames): Promise<void> {
  for (let i = 0; i < errorsPerSocketMax; i++) raw.write(frame(randomBytes(20), { opcode: BINARY }));
  attempts.refused('binary messages', await endOf(raw), 4429);
  attempts.refused(
    'each is answered with another error than not_text',
    raw
      .frames()
      .some(({ opcode, text }) => opcode === TEXT && text.includes('"error"') && !text.includes('"not_text"')),
    false,
  );
}

/** A user may have a hundred messages a second; what is more is not answered, and ends the socket. */
async function floods(attempts: Attempts, open: (userId: string) => Promise<RawFrames>, witness: Line): Promise<void> {
  const kinds: [string, Buffer, number][] = [
    ['pings', frame('x', { opcode: PING_FRAME }), PONG_FRAME],
    ['pongs', frame('x', { opcode: PONG_FRAME }), PONG_FRAME],
    ['messages', frame(PING), TEXT],
    ['empty messages', frame(''), TEXT],
  ];
  for (const [what, bytes, answer] of kinds) {
    const raw = await open(`frame-flood-${what.replace(' ', '-')}`);
    raw.write(Buffer.concat(Array.from({ length: FLOOD }, () => bytes)));
    attempts.refused(`a thousand ${what} at once`, await endOf(raw), [4430, 4429]);
    const answered = raw.frames().filter(({ opcode }) => opcode === answer).length;
    attempts.refused(
      `more than a second's worth of a thousand ${what} is answered`,
      answered > 2 * RATE_LIMITS.messagesPerSecondMax,
      false,
    );
    attempts.control(
      `others are answered after a thousand ${what}`,
      inShort(await witness.ask({ type: 'ping', t: 3 }, 'pong')),
      'pong',
    );
  }
}

async function afterClose(
  attempts: Attempts,
  scene: Scene,
  open: (userId: string) => Promise<RawFrames>,
): Promise<void> {
  const rainId = await scene.rain();
  const grab = frame(JSON.stringify({ type: 'grab', rainId }));
  const [late, honest] = [await open('frame-late'), await open('frame-in-time')];
  late.write(Buffer.concat([closing(1000), grab]));
  attempts.refused('a grab behind a close: the socket ends with the code of the close', await endOf(late), 1000);
  attempts.refused(
    'and the grab is answered',
    late.frames().some(({ text }) => text.includes('"result"')),
    false,
  );
  honest.write(grab);
  attempts.control(
    'a grab without one is answered',
    await eventually(() => honest.frames().some(({ text }) => text.includes('"code":"0"')), { timeoutMs: 5_000 }).catch(
      () => false,
    ),
    true,
  );
  honest.end();
  const back = await enter(scene, 'frame-late');
  attempts.refused(
    'and had won: another grab of that user',
    inShort(await back.ask({ type: 'grab', rainId }, 'result')),
    'result 0',
  );
  await back.leave();
}

/** Frames that never end, on many sockets of one user. */
async function halves(attempts: Attempts, open: (userId: string) => Promise<RawFrames>, witness: Line): Promise<void> {
  const raws = await Promise.all(Array.from({ length: SOCKET_LIMITS.socketsPerUserMax }, () => open('frame-half')));
  for (const raw of raws) raw.write(frame(' '.repeat(2_000), { length: messageBytesMax }));
  attempts.refused(
    'one socket more than a user may have',
    await open('frame-half').then(
      () => 'opened',
      (error: Error) => error.message,
    ),
    /403/,
  );
  attempts.control(
    'others are answered while many frames never end',
    inShort(await witness.ask({ type: 'ping', t: 4 }, 'pong')),
    'pong',
  );
  for (const raw of raws) raw.end();
}
