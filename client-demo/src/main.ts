import { createRainClient } from '../../src/client/client.ts';
import { knownToken, openCredentials } from './credentials.ts';
import { untilConfigured, type PlayerConfig } from './api.ts';
import { solveInBackground, verifyInBackground } from './background.ts';
import { PageTheme } from './page-theme.ts';
import { Game } from './game.ts';
import { askCode, askIdentity, askName } from './identity.ts';
import { listenToInput } from './input.ts';
import { supplyDialogs } from './older/dialogs.ts';
import { markMissingGap } from './older/flex-gap.ts';
import { followLink, reloadOnLink, takeLink } from './link.ts';
import { RainTheme } from './rain-theme.ts';
import { openReceipts } from './receipts.ts';
import { setCurrency } from './money.ts';
import { element } from './page.ts';
import { Leaderboard, readLuckiest } from './leaderboard/leaderboard.ts';
import { Screen } from './screen.ts';
import type { View } from './view.ts';
import { openSetting, showToggle } from './settings.ts';
import { readAccount } from './wallet/account.ts';
import { WalletSheet } from './wallet/wallet-sheet.ts';
import { Sky } from './sky/sky.ts';
import { addressWith, inAddress } from './sales/address.ts';
import { SaleWindow } from './sales/sale-window.ts';
import { cueOf } from './sound/cues.ts';
import { Speaker } from './sound/speaker.ts';
import { offerShare } from './share/share.ts';
import { StartReminder } from './start/start-reminder.ts';
import { keepOfflinePage } from './offline-page.ts';
import { offerLanguage, pageLanguages, wordsFor } from './words/language.ts';

/** Work for later comes after the work that the player is waiting for. */
const OFFLINE_MS = 5_000;

supplyDialogs();
markMissingGap();
const link = takeLink();
reloadOnLink();
const random = Math.random;
const configured = untilConfigured(random);
const words = wordsFor(pageLanguages());
const screen = new Screen(words);
const sky = new Sky(element('.sky'), random);
const pageTheme = new PageTheme(sky);
const theme = new RainTheme({
  random,
  token: async () => knownToken(await configured),
  onTheme: (shown) => pageTheme.apply(shown),
});
const leaderboard = new Leaderboard({ read: readLuckiest, random });
const [sound, buzz] = [openSetting('sound'), openSetting('buzz')];
const speaker = new Speaker(sound, buzz);
const walletButton = element<HTMLButtonElement>('.wallet-button');
walletButton.setAttribute('aria-label', words.tools.walletSheet);
walletButton.title = words.tools.walletSheet;
const walletSheet = new WalletSheet(element<HTMLDialogElement>('.wallet'), walletButton, {
  words,
  read: async () => {
    const token = knownToken(await configured);
    return token === undefined ? undefined : readAccount(token);
  },
});
let game: Game | undefined;
let sales: SaleWindow | undefined;
let reminder: StartReminder | undefined;
let shareFailed = false;
let isCrowded = false;
let shown: View = { face: 'connecting', winners: [] };

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
const applyMotion = () => {
  sky.still = screen.still = reducedMotion.matches;
};
reducedMotion.addEventListener('change', applyMotion);
applyMotion();

showToggle(element<HTMLButtonElement>('.sound'), words.tools.sound, sound, (on) => {
  speaker.wake();
  if (on) speaker.play('tap');
});
// Only devices that can vibrate have the button.
if ('vibrate' in navigator && matchMedia('(pointer: coarse)').matches)
  showToggle(element<HTMLButtonElement>('.buzz'), words.tools.buzz, buzz, (on) => {
    if (on) speaker.play('tap');
  });
offerLanguage(element<HTMLButtonElement>('.language'), words);
offerShare({
  words,
  card: () => pageTheme.cardOf(shown, words),
  onResult: (isDone) => {
    shareFailed = !isDone;
  },
});
element('.verify').addEventListener('click', () => game?.verify());
element('.ahead').addEventListener('click', () => game?.follow());
element('.grab').addEventListener('click', () => tap());
listenToInput({
  onWake: () => speaker.wake(),
  onLean: (lean) => {
    sky.lean = lean;
  },
  isActive: () => !sales?.isOpen,
  onKey: () => tap(),
  onPress(clientX, clientY) {
    if (game?.face() === 'open' && sky.tap(clientX, clientY)) tap();
  },
});
requestAnimationFrame(function frame(nowMs) {
  if (game) show(game);
  sales?.draw(shown);
  if (!sales?.isOpen) sky.draw(nowMs, shown.face === 'open' || shown.face === 'asking');
  requestAnimationFrame(frame);
});

screen.show(shown);
void start();

/** A function of its own: older browsers cannot await at the top of a module. */
async function start(): Promise<void> {
  const config = await configured;
  if (config.currency !== undefined) setCurrency(config.currency);
  if (config.event !== undefined) screen.name(config.event);
  screen.show(shown);
  const invitation = await followLink(link, config, random);
  if (invitation) showTheme();
  if (invitation === 'refused') await askOtherCode(true);
  else if (invitation) await askIdentity(invitation, words);
  play(config);
}

/** While the page asks for somebody, no rain is known yet. */
function showTheme(): void {
  theme.follow(inAddress('rain'));
}

/** The code of somebody else than the page's user; without one everything stays as it is. */
async function askOtherCode(refused: boolean): Promise<void> {
  if ((await askCode(words, 'user', refused)) !== undefined && game) location.reload();
}

function tap(): void {
  if (game?.face() === 'open') speaker.play('tap');
  game?.tap();
}

function show(playing: Game): void {
  playing.tick();
  const view = playing.view();
  leaderboard.follow(view.over ? view.rainId : undefined);
  if (view.face !== 'connecting') theme.follow(view.rainId, view.invitedOnly);
  const next = completed(view);
  const cue = cueOf(shown, next);
  // Ticks of a rain that is hidden would disturb; its results are told.
  if (cue && !(sales?.isOpen && (cue === 'tick' || cue === 'last' || cue === 'go'))) speaker.play(cue);
  if (cue === 'win') sky.celebrate();
  // An open wallet sheet would hide the start of the rain.
  if (next.face === 'open' && shown.face !== 'open') walletSheet.close();
  if (next.win?.credited !== shown.win?.credited) walletSheet.refresh();
  shown = next;
  screen.show(next);
  reminder?.draw(next);
}

/** Adds the findings of the other parts of the page. */
function completed(view: View): View {
  return {
    ...view,
    ...(leaderboard.found && { luckiest: leaderboard.found }),
    ...(theme.greeting && { greeting: theme.greeting }),
    ...(shareFailed && view.win && !view.note && { note: 'notShared' }),
    ...(isCrowded && { note: 'crowded' }),
  };
}

function play(config: PlayerConfig): void {
  const { gatewayUrl, guests, participants, pay, serverTime } = config;
  const other = element<HTMLButtonElement>('.other-code');
  other.textContent = words.code.other;
  other.hidden = participants !== true;
  other.addEventListener('click', () => void askOtherCode(false));
  const token = openCredentials(config, {
    askCode(refused) {
      showTheme();
      return askCode(words, guests && 'guest', refused);
    },
    askName() {
      showTheme();
      return askName(words, config.hidesNames === true);
    },
    random,
    onCrowd: (waits) => {
      isCrowded = waits;
    },
  });
  const client = createRainClient({
    url: gatewayUrl,
    token,
    random,
    solve: solveInBackground,
    receipts: openReceipts(),
    serverTime,
  });
  game = new Game({
    client,
    random,
    verify: verifyInBackground,
    rainId: inAddress('rain'),
    // A reloaded page returns to the same rain and its win.
    onRain: (rainId) => history.replaceState(history.state, '', addressWith('rain', rainId)),
  });
  sales = new SaleWindow({ client, pay, words, random, onCue: (cue) => speaker.play(cue) });
  reminder = new StartReminder({ words, serverNow: () => client.serverNow() });
  client.on('rain', (rain) => {
    if (rain.rainId === inAddress('rain')) reminder?.follow(rain);
  });
  setTimeout(() => void keepOfflinePage(words, config.event ?? words.page), OFFLINE_MS);
  // A failed connection is reported by the event `link`.
  client.connect().catch(() => {});
}
