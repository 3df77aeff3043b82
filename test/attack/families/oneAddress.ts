import { Readable } from 'node:stream';
import { importParticipants, participantCards } from '../../../src/operator/participants.ts';
import { ask, type Question } from '../asker.ts';
import type { Family } from '../family.ts';

const GUESSING_MS = 3_000;
const GUESSERS = 6;

/** One phone in a hall, whose address all the others share, and a page of another site that somebody there looks at. */
export const oneAddress: Family = {
  name: 'one address',
  async attack(scene, attempts) {
    const { port } = await scene.start(['console', '--guests', '--participants']);
    const from = scene.address();
    const list = Readable.from([Buffer.from('number,name\nH1,Hall\n')]);
    if (!(await importParticipants(scene.context, list)).ok) throw new Error('the list was not imported');
    const { code } = (await participantCards(scene.context)).find(({ number }) => number === 'H1')!;
    const rain = await scene.rain();
    const enter = async (typed: string) =>
      (await ask(port, '/api/participant', { method: 'POST', body: { code: typed }, from })).status;
    const look = async (path: string) => (await ask(port, path, { from })).status;

    let guessing = true;
    let invented = 0;
    const nasty = Array.from({ length: GUESSERS }, async () => {
      let entered = 0;
      while (guessing) {
        if ((await enter('0'.repeat(10))) === 200) entered++;
        await look(`/api/theme?rain=invented-${invented++}`);
        await look(`/api/rains/invented-${invented++}/luckiest`);
      }
      return entered;
    });
    await new Promise((resolve) => {
      setTimeout(resolve, GUESSING_MS);
    });
    attempts.control('a right code behind the address of the guesses', await enter(code!), 200);
    attempts.control('the look of a real rain there', await look(`/api/theme?rain=${rain}`), 200);
    attempts.control('the luckiest of a real rain there', await look(`/api/rains/${rain}/luckiest`), 200);
    guessing = false;
    attempts.refused(
      'guesses that let somebody in',
      (await Promise.all(nasty)).reduce((sum, n) => sum + n, 0),
      0,
    );

    const visitor = scene.address();
    const guest = (headers: Record<string, string>, path = '/api/guest', question: Question = {}) =>
      ask(port, path, { method: 'POST', headers, from: visitor, ...question });
    const sites: [string, Record<string, string>][] = [
      ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
      ['another site, in a browser that names only its origin', { origin: 'https://evil.example' }],
      ['a frame without an origin', { origin: 'null' }],
      ['another port of this host', { 'sec-fetch-site': 'same-site', origin: `http://127.0.0.1:${port + 1}` }],
      ['another site, as text without a preflight', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
    ];
    for (const [what, headers] of sites)
      for (const path of ['/api/guest', '/api/participant', '/api/screen'])
        attempts.refused(`${path} from a page of ${what}`, (await guest(headers, path)).status, 403);
    const flood = await Promise.all(Array.from({ length: 200 }, () => guest({ 'sec-fetch-site': 'cross-site' })));
    attempts.refused(
      'two hundred guests of another site: those that got in',
      flood.filter(({ status }) => status === 200).length,
      0,
    );
    const own = { 'sec-fetch-site': 'same-origin', origin: `http://127.0.0.1:${port}` };
    attempts.control('the own page gets a guest', (await guest(own, '/api/guest', { body: {} })).status, 200);
    attempts.control('so does a program that is no browser', (await guest({})).status, 200);
  },
};
