import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { ProofOfWork } from '../../../src/gateway/challenge/proofOfWork.ts';
import { setTickets } from '../../../src/operator/tickets.ts';
import type { Challenge } from '../../../src/protocol/proofOfWork.ts';
import { SECRET } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import type { Attempts, Family } from '../family.ts';
import { enter, inShort, type Line, type Player } from '../player.ts';
import type { Scene } from '../scene.ts';

const PLAIN = { tickets: 'always', proofOfWork: 'off' } as const;
const WORK = { tickets: 'always', proofOfWork: 'always' } as const;
const CHALLENGE_MS = 120_000;
const MINUTE_MS = 60_000;

type Entered = Player & Line;

const challengeFor = async (line: Line, rainId: string): Promise<Challenge> =>
  (await line.ask({ type: 'join', rainId }, 'challenge'))['challenge'] as Challenge;

async function solved(challenge: Challenge): Promise<{ counter: number; derivedKey: string }> {
  const { counter, derivedKey } = (await solveChallenge({ challenge, deriveKey }))!;
  return { counter, derivedKey };
}

async function show(line: Line, rainId: string, challenge: unknown, solution: unknown): Promise<string> {
  return inShort(await line.ask({ type: 'solution', rainId, challenge, solution }, 'ticket', 'error', 'result'));
}

/** A challenge as a gateway would have issued it at another time. */
const challengeOf = (at: number, userId: string, rainId: string): Promise<Challenge> =>
  new ProofOfWork({ secret: SECRET, tries: 20, challengeMs: CHALLENGE_MS, now: () => at }).create(userId, rainId);

export const proofOfWork: Family = {
  name: 'proof of work',
  async attack(scene, attempts) {
    const [rainId, other] = [await scene.rain({ ticketRules: WORK }), await scene.rain({ ticketRules: WORK })];
    const [ann, eve] = [await enter(scene, 'work-ann'), await enter(scene, 'work-eve')];
    const challenge = await challengeFor(ann, rainId);
    const solution = await solved(challenge);
    await eased(scene, attempts, rainId);
    await challengeFor(eve, rainId);
    attempts.refused(
      "another user's challenge, solved",
      await show(eve, rainId, challenge, solution),
      'error not_solved',
    );
    await challengeFor(ann, other);
    attempts.refused(
      'a challenge of another rain, solved',
      await show(ann, other, challenge, solution),
      'error not_solved',
    );
    attempts.refused(
      'a grab without the ticket',
      inShort(await ann.ask({ type: 'grab', rainId }, 'result')),
      'result -9',
    );
    const first = await ann.ask({ type: 'solution', rainId, challenge, solution }, 'ticket', 'error');
    attempts.control('the solution of the challenge that the join has given', inShort(first), 'ticket');
    await replayed(scene, attempts, { rainId, challenge, solution, ticket: String(first['ticket']) });
    attempts.control(
      'a grab with the ticket of the solution',
      inShort(await ann.ask({ type: 'grab', rainId, ticket: first['ticket'] }, 'result')),
      ['result 0', 'result 1'],
    );
    for (const line of [ann, eve]) await line.leave();
    await tooEarly(scene, attempts);
    await tightened(scene, attempts);
    await overHttp(scene, attempts);
  },
};

/** Another difficulty, another end, another key: each of them with a solution that fits. */
async function eased(scene: Scene, attempts: Attempts, rainId: string): Promise<void> {
  const line = await enter(scene, 'work-easy');
  const challenge = await challengeFor(line, rainId);
  const { parameters } = challenge;
  const solution = await solved(challenge);
  const zero = { counter: 0, derivedKey: parameters.keyPrefix };
  const other = await challengeFor(line, await scene.rain({ ticketRules: WORK }));
  const tries: [string, unknown, unknown][] = [
    [
      'a key that only begins as it has to',
      challenge,
      { counter: 0, derivedKey: parameters.keyPrefix.padEnd(64, '0') },
    ],
    ['the beginning of the key alone', challenge, zero],
    [
      'another key',
      challenge,
      { ...solution, derivedKey: solution.derivedKey.replace(/./g, (digit) => (digit === 'a' ? 'b' : 'a')) },
    ],
    [
      'one round a try',
      { ...challenge, parameters: { ...parameters, cost: 1 } },
      await solved({ ...challenge, parameters: { ...parameters, cost: 1, keyPrefix: '00' } }),
    ],
    [
      'a beginning of one byte',
      { ...challenge, parameters: { ...parameters, keyPrefix: parameters.keyPrefix.slice(0, 2) } },
      solution,
    ],
    [
      'a later end',
      { ...challenge, parameters: { ...parameters, data: { until: parameters.data.until + MINUTE_MS } } },
      solution,
    ],
    ['another salt', { ...challenge, parameters: { ...parameters, salt: '00' } }, solution],
    ['the signature of another challenge', { ...challenge, signature: other.signature }, solution],
    ['a signature of zeros', { ...challenge, signature: '0'.repeat(64) }, solution],
    [
      'the signed key of another challenge',
      { ...challenge, parameters: { ...parameters, keySignature: other.parameters.keySignature } },
      solution,
    ],
    ['no signed key', { ...challenge, parameters: { ...parameters, keySignature: undefined } }, solution],
    ['another algorithm', { ...challenge, parameters: { ...parameters, algorithm: 'SHA-256' } }, solution],
    ['a key of one byte', { ...challenge, parameters: { ...parameters, keyLength: 1 } }, solution],
    [
      'a time that is a text',
      { ...challenge, parameters: { ...parameters, data: { until: '9999999999999' } } },
      solution,
    ],
    ['further data', { ...challenge, parameters: { ...parameters, data: { ...parameters.data, rainId } } }, solution],
    ['no challenge', {}, solution],
    ['no solution', challenge, {}],
  ];
  for (const [what, changed, answer] of tries)
    attempts.refused(`a challenge with ${what}`, await show(line, rainId, changed, answer), [
      'error not_solved',
      'error bad_field',
    ]);
  attempts.control('the same challenge, as it came', await show(line, rainId, challenge, solution), 'ticket');
  await line.leave();
}

/** A solution that is shown again gives the same or a second ticket, and never a second packet. */
async function replayed(
  scene: Scene,
  attempts: Attempts,
  { rainId, challenge, solution, ticket }: { rainId: string; challenge: Challenge; solution: unknown; ticket: string },
): Promise<void> {
  const lines: Entered[] = await Promise.all([1, 2, 3].map(() => enter(scene, 'work-ann')));
  const more = await Promise.all(
    lines.map((line) => line.ask({ type: 'solution', rainId, challenge, solution }, 'ticket', 'error')),
  );
  const results = await Promise.all(
    [ticket, ...more.map((one) => String(one['ticket']))].map((shown, i) =>
      lines[i % lines.length]!.ask({ type: 'grab', rainId, ticket: shown }, 'result'),
    ),
  );
  attempts.refused(
    'a solution that is shown on four sockets: packets',
    new Set(results.map(({ redPacketId }) => redPacketId)).size,
    1,
  );
  for (const line of lines) await line.leave();
}

async function tooEarly(scene: Scene, attempts: Attempts): Promise<void> {
  const now = Date.now();
  // Tickets of the first are not issued yet; those of the second are, since a minute.
  const [late, soon] = await Promise.all(
    [10 * MINUTE_MS, MINUTE_MS].map((inMs) =>
      scene.rain({ ticketRules: WORK, opensAt: now + inMs, closesAt: now + inMs + MINUTE_MS }),
    ),
  );
  const ann = await enter(scene, 'work-early');
  const mark = ann.heard.length;
  await ann.ask({ type: 'join', rainId: late! }, 'rain');
  await ann.settle();
  attempts.refused(
    'a join ten minutes before the opening, for the challenge',
    ann.heard.slice(mark).filter(({ type }) => type === 'challenge').length,
    0,
  );
  const ahead = await challengeOf(now, ann.userId, late!);
  attempts.refused(
    'a challenge that was signed before its time, solved',
    await show(ann, late!, ahead, await solved(ahead)),
    'error not_solved',
  );
  const early = await challengeOf(now - 100_000, ann.userId, soon!);
  attempts.refused(
    'a challenge that was signed before the time of this rain and has not ended, solved',
    await show(ann, soon!, early, await solved(early)),
    'error not_solved',
  );
  const ended = await challengeOf(now - CHALLENGE_MS - 1_000, ann.userId, soon!);
  attempts.refused(
    'a challenge that has ended, solved',
    await show(ann, soon!, ended, await solved(ended)),
    'error not_solved',
  );
  const fresh = await challengeOf(Date.now(), ann.userId, soon!);
  attempts.control(
    'a challenge of this moment, signed in the same way',
    await show(ann, soon!, fresh, await solved(fresh)),
    'ticket',
  );
  await ann.leave();
}

/** A rain that asks for work once somebody has a ticket without. */
async function tightened(scene: Scene, attempts: Attempts): Promise<void> {
  const rainId = await scene.rain({ ticketRules: PLAIN });
  const bob = await enter(scene, 'work-bob');
  const plain = String((await bob.ask({ type: 'join', rainId }, 'ticket'))['ticket']);
  const set = await setTickets(scene.context, rainId, WORK);
  if (!set.ok) throw new Error(JSON.stringify(set));
  await eventually(() =>
    bob.heard.some(
      ({ type, rainId: id, ticketRules }) =>
        type === 'rain' &&
        id === rainId &&
        (ticketRules as { proofOfWork?: string } | undefined)?.proofOfWork === 'always',
    ),
  );
  attempts.refused(
    'a grab with a ticket that has cost no work',
    inShort(await bob.ask({ type: 'grab', rainId, ticket: plain }, 'result')),
    'result -9',
  );
  attempts.refused(
    'a join with that ticket, for another',
    inShort(await bob.ask({ type: 'join', rainId, ticket: plain }, 'ticket', 'challenge')),
    'challenge',
  );
  const challenge = await challengeFor(bob, rainId);
  const { ticket } = await bob.ask(
    { type: 'solution', rainId, challenge, solution: await solved(challenge) },
    'ticket',
    'error',
  );
  attempts.control(
    'a grab with a ticket that has cost work',
    inShort(await bob.ask({ type: 'grab', rainId, ticket }, 'result')),
    'result 0',
  );
  await bob.leave();
}

async function overHttp(scene: Scene, attempts: Attempts): Promise<void> {
  const saleId = await scene.sale({ ticketRules: WORK });
  const [ann, eve] = [await enter(scene, 'work-http'), await enter(scene, 'work-thief')];
  const challenge = (await ann.request(`/v1/sales/${saleId}`)).json?.['challenge'] as Challenge;
  const solution = await solved(challenge);
  const ask = async (player: Player, body: unknown) => {
    const { json } = await player.request(`/v1/sales/${saleId}/ticket`, { method: 'POST', body });
    return `${String(json?.['type'])} ${String(json?.['code'] ?? '')}`.trim();
  };
  await eve.request(`/v1/sales/${saleId}`);
  attempts.refused(
    "another user's challenge over HTTP, solved",
    await ask(eve, { challenge, solution }),
    'error not_solved',
  );
  attempts.refused(
    'an unsolved challenge over HTTP',
    await ask(ann, { challenge, solution: { counter: 0, derivedKey: '00'.repeat(32) } }),
    'error not_solved',
  );
  attempts.refused('nothing over HTTP', await ask(ann, {}), 'error bad_field');
  attempts.control('the solved challenge over HTTP', await ask(ann, { challenge, solution }), 'ticket');
  for (const line of [ann, eve]) await line.leave();
}
