import { createRainClient } from '../../../src/client/client.ts';
import { untilConfigured, type PlayerConfig } from '../api.ts';
import { solveInBackground } from '../background.ts';
import { knownScreenToken, openScreenCredentials } from '../credentials.ts';
import { Leaderboard, readLuckiest } from '../leaderboard/leaderboard.ts';
import { takeLink } from '../link.ts';
import { setCurrency } from '../money.ts';
import { element } from '../page.ts';
import { markMissingGap } from '../older/flex-gap.ts';
import { inAddress } from '../sales/address.ts';
import { openSetting, showToggle } from '../settings.ts';
import { Sky } from '../sky/sky.ts';
import { cueOf, type Cue } from '../sound/cues.ts';
import { Speaker } from '../sound/speaker.ts';
import { isChinese } from '../words/language.ts';
import { HallPageTheme } from './hall-page-theme.ts';
import { HallScreen } from './hall-screen.ts';
import { HallTheme } from './hall-theme.ts';
import { Hall, type HallView } from './hall.ts';
import { Music } from './music.ts';
import { Present } from './present.ts';
import { HALL_WORDS } from './words.ts';

markMissingGap();
const invited = takeLink().token;
const random = Math.random;
// Older browsers cannot await at the top of a module.
void untilConfigured(random).then(open);

function open({ gatewayUrl, currency, event = '', page = './', serverTime }: PlayerConfig): void {
  if (currency !== undefined) setCurrency(currency);
  const words = isChinese(navigator.languages) ? HALL_WORDS.zh : HALL_WORDS.en;
  const screen = new HallScreen(words, event, new URL(page, location.href));
  const sky = new Sky(element('.sky'), random);
  const pageTheme = new HallPageTheme(sky, words);
  const theme = new HallTheme({ token: () => knownScreenToken(invited), show: (shown) => pageTheme.apply(shown) });
  const sound = openSetting('hall.sound');
  const speaker = new Speaker(sound, { on: false, turn: () => false });
  const music = new Music(element<HTMLAudioElement>('.music'));
  const credentials = openScreenCredentials(invited, { random, onCrowd: () => {} });
  let screenToken = knownScreenToken(invited);
  const present = new Present(() => screenToken);
  /** Before and during a rain or sale. */
  const MUSIC_STAGES: ReadonlySet<HallView['stage']> = new Set([
    'before',
    'raining',
    'paused',
    'sale_before',
    'selling',
    'sale_paused',
  ]);
  const leaderboard = new Leaderboard({ read: readLuckiest, random });
  const client = createRainClient({
    url: gatewayUrl,
    token: typeof credentials === 'function' ? async () => (screenToken = await credentials()) : credentials,
    random,
    solve: solveInBackground,
    serverTime,
  });
  const hall = new Hall({ client, rainId: inAddress('rain'), saleId: inAddress('sale'), random });
  client.connect().catch(() => {});

  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  const applyMotion = () => {
    sky.still = reducedMotion.matches;
  };
  reducedMotion.addEventListener('change', applyMotion);
  applyMotion();

  element('.full').addEventListener('click', () => {
    allowSound();
    void document.documentElement.requestFullscreen?.().catch(() => {});
  });

  let isSoundAllowed = false;
  function allowSound(): void {
    speaker.wake();
    music.allow();
    if (isSoundAllowed) return;
    isSoundAllowed = true;
    showToggle(element<HTMLButtonElement>('.sound'), words.sound, sound, () => speaker.wake());
  }

  let shown: HallView = { stage: 'connecting', lost: false, names: [] };
  let crowned: string | undefined;

  requestAnimationFrame(function frame(nowMs) {
    hall.tick();
    const view = hall.view();
    const cue = cueOf(momentOf(shown), momentOf(view));
    if (cue) speaker.play(cue);
    leaderboard.follow(view.stage === 'gone' || view.stage === 'after' ? view.rainId : undefined);
    theme.follow(view.rainId, view.invitedOnly);
    music.play(sound.on && MUSIC_STAGES.has(view.stage) ? theme.music : undefined);
    if (shown.stage === 'selling' && view.stage === 'sold_out') celebrate();
    if (leaderboard.found?.luckiest.length && crowned !== view.rainId) {
      crowned = view.rainId;
      celebrate();
    }
    shown = view;
    present.follow(event !== '' && (view.stage === 'before' || view.stage === 'sale_before' || view.stage === 'quiet'));
    screen.show(view, leaderboard.found, present.known);
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
    const face =
      stage === 'before' || stage === 'sale_before'
        ? 'scheduled'
        : stage === 'raining' || stage === 'selling'
          ? 'open'
          : 'connecting';
    return { face, ...(seconds !== undefined && { seconds }) };
  }
}
