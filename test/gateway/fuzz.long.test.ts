import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { CLOSES, ERRORS, OUTCOMES } from '../../src/protocol/outcomes.ts';
import { randomSource, type RandomSource } from '../../src/rain/fairness.ts';
import { dial, SECRET, tokenFor } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { runScript, type RunningScript } from '../support/script.ts';
import { fatalFrame, plainFrame, spoiltFrame } from './sockets/frames.ts';
import { SIGNING_SECRET } from '../support/signer.ts';

const SEED = (process.env['FUZZ_SEED'] ?? 'f022').repeat(64).slice(0, 64);
const FRAMES = 100_000;
const LANES = 6;
/** More than the 20 errors after which a socket is closed: frames after the close are read, too. */
const FRAMES_PER_SOCKET = 48;
/** A flood of valid messages, more than the 100 that one second allows. */
const FLOOD = 400;

const { server, redis } = await openRedis();
let gateway: RunningScript;
let port: number;

/** The messages to one connection: the codes of its answers, and its close code. */
interface Received {
  codes: Set<string>;
  closed: number | undefined;
}

/** Reads the server's frames, which are whole and unmasked. */
function listen(bytes: Buffer, received: Received): Buffer {
  for (;;) {
    if (bytes.length < 2) return bytes;
    const short = bytes[1]! & 0x7f;
    const head = short === 126 ? 4 : 2;
    if (bytes.length < head) return bytes;
    const length = short === 126 ? bytes.readUInt16BE(2) : short;
    if (short === 127) throw new Error('no frame of rain.v1 is that long');
    if (bytes.length < head + length) return bytes;
    const payload = bytes.subarray(head, head + length);
    if ((bytes[0]! & 0x0f) === 8) received.closed = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
    else if ((bytes[0]! & 0x0f) === 1) {
      const message = JSON.parse(payload.toString()) as { type: string; code?: string };
      if (message.type !== 'welcome') received.codes.add(message.code ?? message.type);
    }
    bytes = bytes.subarray(head + length);
  }
}

/** A new user and address for each socket: otherwise the second flood would be refused. */
interface Caller {
  token: string;
  address: string;
}

/**
 * Upgrades by hand, sends everything at once, split anywhere, and reads until the gateway has closed the connection or
 * has sent enough.
 */
async function talk(
  { token, address }: Caller,
  bytes: Buffer,
  random: RandomSource,
  enough: (received: Received) => boolean,
): Promise<Received> {
  const received: Received = { codes: new Set(), closed: undefined };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  const gone = once(socket, 'close');
  let rest: Buffer = Buffer.alloc(0);
  let upgraded = false;
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    if (!upgraded) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!rest.toString('latin1').startsWith('HTTP/1.1 101'))
        throw new Error(`refused: ${rest.toString('latin1', 0, 40)}`);
      upgraded = true;
      rest = rest.subarray(end + 4);
      const cut = random.belowNumber(bytes.length);
      socket.write(bytes.subarray(0, cut));
      setImmediate(() => socket.write(bytes.subarray(cut)));
    }
    rest = listen(rest, received);
    if (received.closed !== undefined || enough(received)) socket.destroy();
  });
  socket.write(
    'GET /v1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
      `X-Forwarded-For: ${address}\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: ${SUBPROTOCOL}, ${BEARER_PREFIX}${token}\r\n\r\n`,
  );
  const patience = setTimeout(() => socket.destroy(), 20_000);
  await gone;
  clearTimeout(patience);
  return received;
}

/** Runs one socket; @returns the number of frames */
async function attack(caller: Caller, random: RandomSource): Promise<number> {
  const kind = random.belowNumber(40);
  if (kind === 0) {
    const { codes } = await talk(
      caller,
      Buffer.concat(Array.from({ length: FLOOD }, () => plainFrame(random))),
      random,
      (received) => received.codes.has('-5'),
    );
    expect(codes, 'a flood is refused as too fast').toContain('-5');
    return FLOOD;
  }
  if (kind < 8) {
    const { bytes, code } = fatalFrame(random);
    const { closed } = await talk(caller, bytes, random, () => false);
    expect(closed, bytes.subarray(0, 20).toString('hex')).toBe(code);
    return 1;
  }
  const frames = Array.from({ length: FRAMES_PER_SOCKET }, () => spoiltFrame(random));
  const { codes, closed } = await talk(caller, Buffer.concat(frames), random, () => false);
  expect(closed, 'so much nonsense is closed').toBe(CLOSES[4429].code);
  for (const code of codes)
    expect(code in ERRORS || code in OUTCOMES || code === 'rain' || code === 'pong', code).toBe(true);
  expect(
    [...codes].some((code) => code in ERRORS),
    'and each protocol error has its code',
  ).toBe(true);
  return FRAMES_PER_SOCKET;
}

async function memory(): Promise<number> {
  return await eventually(
    async () => {
      gateway.process.kill('SIGUSR2');
      const { sockets, bytes } = JSON.parse(await gateway.nextLine()) as { sockets: number; bytes: number };
      expect(sockets).toBe(0);
      return bytes;
    },
    { timeoutMs: 10_000 },
  );
}

test(`[R10][R12] ${FRAMES} corrupted frames: each socket gets a code or is closed with one; the gateway stays up, responsive and small (FUZZ_SEED ${SEED.slice(0, 8)})`, async () => {
  await stockRain(redis, { rainId: 'r1', amounts: Array.from({ length: 50 }, () => '1.00') });
  // For the check afterwards: by then the callers will have taken all packets of the other rain.
  await stockRain(redis, { rainId: 'r2', amounts: ['1.00'] });
  gateway = runScript(new URL('./processes/measured-gateway.mjs', import.meta.url), [
    server.url,
    SECRET,
    SIGNING_SECRET,
  ]);
  ({ port } = JSON.parse(await gateway.nextLine()) as { port: number });
  const sizes: number[] = [];
  let sent = 0;
  let callers = 0;
  for (let quarter = 1; quarter <= 4; quarter++) {
    await Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        const random = randomSource(SEED, `${quarter} ${lane}`);
        while (sent < (FRAMES * quarter) / 4) {
          const n = callers++;
          const frames = await attack(
            { token: await tokenFor(`user-${n}`), address: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` },
            random,
          );
          sent += frames;
        }
      }),
    );
    sizes.push(await memory());
  }
  expect(sent).toBeGreaterThanOrEqual(FRAMES);
  expect(gateway.process.exitCode).toBeNull();
  // From the second quarter to the last, 50,000 frames and a thousand sockets later; a leak of 100 bytes a frame would
  // show.
  expect(sizes[3]! - sizes[1]!, `bytes after each quarter: ${sizes.join(' ')}`).toBeLessThan(4_000_000);
  const clean = await dial(`ws://127.0.0.1:${port}/v1`, 'clean');
  await clean.next('welcome');
  clean.say({ type: 'grab', rainId: 'r2', ref: 'x' });
  expect(await clean.next('result')).toMatchObject({ ref: 'x', code: '0' });
  await clean.leave();
  gateway.process.kill('SIGTERM');
  expect(await gateway.ended).toEqual({ code: 0, signal: null });
}, 180_000);
