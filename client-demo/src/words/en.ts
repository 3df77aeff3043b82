import { moneyText } from '../money.ts';
import type { Face, Round } from '../round.ts';
import type { Greeting } from '../rain-theme.ts';
import type { PacketStatus } from '../wallet/account.ts';

/** All texts of this page. Other languages have the same keys. */
export type Words = typeof en;

type Faces = Record<Face | 'no_rain' | 'no_token' | 'refused', string>;

export const en = {
  lang: 'en',
  otherLanguage: { lang: 'zh-CN', name: '中文' },
  page: 'Red-packet rain',
  headline: {
    connecting: 'Connecting …',
    no_rain: 'No rain at the moment',
    scheduled: 'The rain starts in',
    open: 'Tap a red packet!',
    asking: 'Opening …',
    paused: 'Paused',
    won: 'You got a red packet',
    missed: 'Not this time',
    gone: 'All gone',
    too_late: 'The rain is over',
    blocked: 'You cannot take part',
    win_limit_reached: 'This round is for others',
    unknown_rain: 'No such rain',
    no_token: 'You need an invitation',
    refused: 'Disconnected',
  } satisfies Faces,
  detail: {
    connecting: '',
    no_rain: 'The next rain starts here automatically.',
    scheduled: 'Get your thumb ready.',
    open: 'One packet each. The first tap counts.',
    asking: 'Your tap is on its way.',
    paused: 'The host has paused the rain. It will continue here.',
    won: '',
    missed: 'The last packet was gone before your tap arrived.',
    gone: 'All packets of this rain have been won.',
    too_late: 'Taps do not count any more.',
    blocked: 'The host does not let this account take part.',
    win_limit_reached: 'You have won before, or the host keeps this round for other players.',
    unknown_rain: 'This rain ended long ago, or the link is wrong.',
    no_token: 'Open this page from your app again.',
    refused: 'Reload the page to try again.',
  } satisfies Faces,
  /** @param time start of a rain that is more than an hour away */
  startsAt: (time: string) => `It starts on ${time}.`,
  /** @param seconds absent: this page cannot tell how fast */
  gone: (packets: number, seconds: number | undefined) => {
    const all = packets === 1 ? 'The only packet' : `All ${packets.toLocaleString('en')} packets`;
    if (seconds === undefined) return packets === 1 ? `${all} has been won.` : `${all} have been won.`;
    return `${all} ${packets === 1 ? 'was' : 'were'} gone within ${within(seconds)}.`;
  },
  nothingAhead: 'When the next rain is announced, it appears here.',
  greeting: ({ sender, blessing }: Pick<Greeting, 'sender' | 'blessing'>) =>
    sender === undefined ? (blessing ?? '') : blessing === undefined ? `From ${sender}` : `From ${sender}: ${blessing}`,
  credited: 'It is in your wallet',
  onItsWay: 'On its way to your wallet …',
  /**
   * Also shown for a rain that was settled so long ago that the server has forgotten it: then the money is in the
   * wallet.
   */
  recorded: 'Your win is on record. If it is not in your wallet, the host will check it.',
  grab: 'Grab',
  next: 'Find the next rain',
  left: 'packets left',
  you: 'You are',
  verify: 'Verify fairness',
  proof: {
    checking: 'Computing all packets …',
    yours: 'Verified: your packet matches the commitment.',
    all: 'Verified: all packets match the commitment.',
    late: 'The packets match the commitment, but this page received the commitment only after the rain.',
    newer: 'The packets were drawn by a newer method than this page knows. Reload the page and verify again.',
    broken: 'The packets do NOT match the commitment.',
    failed: 'Verification failed. Try again.',
  } satisfies Record<NonNullable<Round['proof']>, string>,
  notes: {
    lost: 'Connection lost, reconnecting …',
    busy: 'Very busy. Retrying …',
    tooFast: 'Too fast. Retrying in a moment …',
    unanswered: 'No answer yet. Tap again. Nothing is lost.',
    preparing: 'Getting ready. Your tap counts …',
    crowded: 'Many people are coming in. Please wait, you will be in soon.',
    notShared: 'The picture could not be made. Try again.',
  },
  /** Announced once, when few seconds are left. */
  soon: (seconds: number) => `${seconds} seconds left`,
  rehearsal: 'Rehearsal: no real money',
  /** Shown with a win that the page received only after reconnecting. */
  wonWhileAway: 'You won it just before the connection broke',
  tools: { sound: 'Sound', buzz: 'Vibration', walletSheet: 'My packets and wallet' },
  identity: {
    title: 'Change the user?',
    now: (user: string) => `You are ${user}.`,
    after: (user: string) => `This link makes you ${user}.`,
    warning: 'What you win or buy then belongs to that user. Change only if you trust who sent the link.',
    stay: 'Stay who I am',
    change: 'Change the user',
  },
  nickname: {
    title: 'What is your name?',
    told: 'It is shown when you win. It stays the same for the whole event.',
    toldHidden: 'Only the host sees it, on the list of winners. It stays the same for the whole event.',
    join: 'Join',
    skip: 'Play without a name',
    refused: (charactersMax: number) =>
      `A name has 1 to ${charactersMax} characters, a letter or a digit among them, no amount, and no word for the staff. Or it cannot be taken now: choose another one.`,
  },
  code: {
    title: 'Your code',
    told: 'It is on your card, or in your personal link.',
    join: 'Join',
    skip: 'I have no code',
    other: 'Not you?',
    unknown: 'This code is not valid. Check it on your card, or ask the host.',
    unanswered: 'The server cannot check your code now. Try again in a minute.',
  },
  walletSheet: {
    title: 'My packets and wallet',
    total: 'In your wallet',
    pending: 'on its way',
    empty: 'No packets yet. The first one will appear here.',
    loading: 'Loading your wallet …',
    failed: 'Your wallet cannot be shown now. Nothing is lost.',
    guest: 'Join first. Then your wallet can be shown.',
    close: 'Close',
    status: { credited: 'In your wallet', pending: 'On its way', held: 'Under review' } satisfies Record<
      PacketStatus,
      string
    >,
    rehearsal: 'Rehearsal',
    more: 'You find older packets in your app.',
    late: 'Your latest win may not be shown yet. It is safe.',
  },
  share: { button: 'Share', headline: 'I got a red packet' },
  remind: {
    offer: 'Remind me a minute before',
    on: '✓ On, while this page is open',
    refused: 'Your browser does not allow it',
    startsAt: (time: string) => `The rain starts at ${time}.`,
  },
  offline: {
    title: 'No connection',
    told: 'Check your network, then try again. What you have won is safe.',
    again: 'Try again',
  },
  luckiest: { title: 'Luckiest', counting: 'Luckiest, still counting', you: 'You' },
  ahead: { offer: 'Next rain in', now: 'A rain is on right now', untitled: 'Red-packet rain' },
  /** The sales that are listed beside the rain. Their own screen has its words in `sale/`. */
  sales: {
    label: 'Flash sales and giveaways',
    tag: 'Sale',
    untitled: 'Flash sale',
    open: 'On now',
    paused: 'Paused',
    opensIn: (time: string) => `in ${time}`,
    rang: 'Back in stock',
    failed: 'This could not be loaded. Try again.',
    /** In place of the texts of the same names where nothing is to be paid. */
    whenFree: { tag: 'Free', untitled: 'Giveaway', open: 'On now', opensIn: (time: string) => `in ${time}` },
  },
  money: moneyText,
};

/** Rounded up: the packets were gone by then. */
function within(seconds: number): string {
  if (seconds === 1) return 'a second';
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
