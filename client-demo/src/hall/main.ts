import { createRainClient } from '../../../src/client/client.ts';
import { untilConfigured } from '../api.ts';
import { solveInBackground } from '../background.ts';
import { openScreenCredentials } from '../credentials.ts';
import { Leaderboard, readLuckiest } from '../leaderboard/leaderboard.ts';
import { takeLink } from '../link.ts';
import { element } from '../page.ts';
import { inAddress } from '../sales/address.ts';
import { openSetting } from '../settings.ts';
import { Sky } from '../sky/sky.ts';
import { cueOf, type Cue } from '../sound/cues.ts';
import { Speaker } from '../sound/speaker.ts';
import { isChinese } from '../words/language.ts';
import { HallScreen } from './hall-screen.ts';
import { Hall, type HallView } from './hall.ts';
import { Present } from './present.ts';
import { HALL_WORDS } from './words.ts';

const invited = takeLink().token;
const random = Math.random;
const { gatewayUrl, event = '', page = './' } = await untilConfigured(random);
const screen = new HallScreen(isChinese(navigator.languages) ? HALL_WORDS.zh : HALL_WORDS.en, event, new URL(page, location.href));
const sky = new Sky(element('.sky'), random);
const speaker = new Speaker(openSetting('hall.sound'), { on: false, turn: () => false });
const present = new Present();
const leaderboard = new Leaderboard({ read: readLuckiest, random });
const client = createRainClient({ url: gatewayUrl, token: openScreenCredentials(invited), random, solve: solveInBackground });
const hall = new Hall({ client, rainId: inAddress('rain'), random });
client.connect().catch(() => {});

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
const applyMotion = () => { sky.still = reducedMotion.matches; };
reducedMotion.addEventListener('change', applyMotion);
applyMotion();

element('.full').addEventListener('click', () => {
  speaker.wake();
  document.documentElement.requestFullscreen().catch(() => {});
});

let shown: HallView = { stage: 'connecting', lost: false, names: [] };
let crowned: string | undefined;

requestAnimationFrame(function frame(nowMs) {
  hall.tick();
  const view = hall.view();
  const cue = cueOf(momentOf(shown), momentOf(view));
  if (cue) speaker.play(cue);
  leaderboard.follow(view.stage === 'gone' || view.stage === 'after' ? view.rainId : undefined);
  if (leaderboard.found?.luckiest.length && crowned !== view.rainId) {
    crowned = view.rainId;
    celebrate();
  }
  shown = view;
  present.follow(event !== '' && (view.stage === 'before' || view.stage === 'quiet'));
  screen.show(view, leaderboard.found, present.count);
  sky.draw(nowMs, view.stage === 'raining' && !view.lost);
  requestAnimationFrame(frame);
});

function celebrate(): void {
  sky.celebrate();
  const fanfare: Cue = 'win';
  speaker.play(fanfare);
}

/** As the sounds of the player's page know it. */
function momentOf({ stage, seconds }: HallView): Parameters<typeof cueOf>[0] {
  const face = stage === 'before' ? 'scheduled' : stage === 'raining' ? 'open' : 'connecting';
  return { face, ...(seconds !== undefined && { seconds }) };
}
