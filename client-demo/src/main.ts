import { delayBeforeRetry } from '../../src/runtime/backoff.ts';
import { RECONNECT } from '../../src/client/backoff.ts';
import { createRainClient } from '../../src/client/client.ts';
import { openCredentials, takeInvitation } from './credentials.ts';
import { readConfig, type DeskConfig } from './desk.ts';
import { Game } from './game.ts';
import { Rainfall } from './rainfall.ts';
import { Screen } from './screen.ts';
import { solveInBackground } from './solving.ts';
import { verifyInBackground } from './verification.ts';
import { wordsFor } from './words.ts';

takeInvitation();
const random = Math.random;
const screen = new Screen(wordsFor(navigator.languages), () => game?.tap(), () => game?.verify());
const rainfall = new Rainfall(document.querySelector<HTMLCanvasElement>('.sky')!, random);
let game: Game | undefined;

const calm = matchMedia('(prefers-reduced-motion: reduce)');
rainfall.still = calm.matches;
calm.addEventListener('change', () => { rainfall.still = calm.matches; });

document.addEventListener('pointerdown', ({ clientX, clientY, target }) => {
  if (target instanceof Element && target.closest('button, a')) return;
  const hit = game?.face() === 'open' ? rainfall.tap(clientX, clientY) : undefined;
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
  rainfall.fall = game?.fall();
  rainfall.draw(nowMs, face === 'open' || face === 'asking');
  requestAnimationFrame(frame);
});

screen.show({ face: 'connecting', winners: [] });
play(await configured());

function play({ gatewayUrl, demo }: DeskConfig): void {
  const client = createRainClient({ url: gatewayUrl, token: openCredentials(demo), random, solve: solveInBackground });
  game = new Game({
    client, random, verify: verifyInBackground,
    rainId: new URLSearchParams(location.search).get('rain') ?? undefined,
    // A reloaded page comes back to the same rain, and to what was won in it.
    onRain: (rainId) => history.replaceState(history.state, '', `?${new URLSearchParams({ rain: rainId })}`),
  });
  // That it is in vain is seen by the link.
  client.connect().catch(() => {});
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
