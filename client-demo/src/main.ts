import { delayBeforeRetry } from '../../src/runtime/backoff.ts';
import { ServerClock } from './clock.ts';
import { Connection, PING_MS } from './connection.ts';
import { openCredentials, takeInvitation } from './credentials.ts';
import { readConfig, type DeskConfig } from './desk.ts';
import { RECONNECT } from './backoff.ts';
import { Game } from './game.ts';
import { Sky } from './sky/sky.ts';
import { Screen } from './screen.ts';
import { solveInBackground } from './solving.ts';
import { verifyInBackground } from './verification.ts';
import { wordsFor } from './words.ts';

/** The first pings come in quick succession: a countdown should be right before it is short. */
const FIRST_PINGS = 5;
const FIRST_PING_MS = 150;

takeInvitation();
const random = Math.random;
const local = () => performance.now();
const clock = new ServerClock(local, Date.now());
const screen = new Screen(wordsFor(navigator.languages), () => game?.tap(), () => game?.verify());
const sky = new Sky(document.querySelector<HTMLElement>('.sky')!, random);
let game: Game | undefined;

const calm = matchMedia('(prefers-reduced-motion: reduce)');
sky.still = calm.matches;
calm.addEventListener('change', () => { sky.still = calm.matches; });

document.addEventListener('pointerdown', ({ clientX, clientY, target }) => {
  if (target instanceof Element && target.closest('button, a')) return;
  const hit = game?.face() === 'open' ? sky.tap(clientX, clientY) : undefined;
  if (hit) game?.tap(hit.packet);
});
document.addEventListener('keydown', (event) => {
  if ((event.key !== ' ' && event.key !== 'Enter') || (event.target instanceof Element && event.target.closest('a, .verify'))) return;
  event.preventDefault(); // else a focused button would be clicked as well
  if (!event.repeat) game?.tap();
});
requestAnimationFrame(function frame(nowMs) {
  if (game) screen.show(game.view());
  const face = game?.face();
  sky.fall = game?.fall();
  sky.draw(nowMs, face === 'open' || face === 'asking');
  requestAnimationFrame(frame);
});

void sky.improve();
screen.show({ face: 'connecting', winners: [] });
play(await configured());

function play({ gatewayUrl, demo }: DeskConfig): void {
  const ping = () => connection.send({ type: 'ping', t: local() });
  const connection: Connection = new Connection({
    url: gatewayUrl,
    credentials: openCredentials(demo),
    random,
    onMessage: (message) => game?.hear(message),
    onLink: (link) => {
      game?.linked(link);
      if (link !== 'up') return;
      clock.doubt();
      for (let i = 0; i < FIRST_PINGS; i++) setTimeout(ping, i * FIRST_PING_MS);
    },
  });
  game = new Game({
    connection, clock, random, verify: verifyInBackground, solve: solveInBackground,
    rainId: new URLSearchParams(location.search).get('rain') ?? undefined,
    // A reloaded page comes back to the same rain, and to what was won in it.
    onRain: (rainId) => history.replaceState(history.state, '', `?${new URLSearchParams({ rain: rainId })}`),
  });
  setInterval(ping, PING_MS);
  connection.start();
}

async function configured(): Promise<DeskConfig> {
  for (let failures = 1; ; failures++) {
    try {
      return await readConfig();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delayBeforeRetry(failures, RECONNECT, random)));
    }
  }
}
