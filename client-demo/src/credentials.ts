import type { TokenSource } from '../../src/client/token.ts';
import { codeIn } from '../../src/platform/auth/typedCode.ts';
import { nicknameIn } from '../../src/rain/names.ts';
import { untilAdmitted, type CrowdOptions } from './crowd.ts';
import {
  NameRefused,
  requestGuestToken,
  requestParticipantToken,
  requestScreenToken,
  type PlayerConfig,
} from './api.ts';
import { surely } from './storage.ts';

const { recall, remember, forget } = surely;

const INVITED_KEY = 'rain.token';
const SCREEN_KEY = 'rain.screen';
const CODE_KEY = 'rain.code';
/** The last token that the code was answered with. */
const PARTICIPANT_KEY = 'rain.participant';
/** A person without a code is asked again by a page that is opened later, and not by a reload. */
const NO_CODE_KEY = 'rain.no-code';
const GUEST_KEY = 'rain.guest';
const NAME_KEY = 'rain.name';
/**
 * A reload keeps the player and the winnings. Per tab, two tabs are two players; on a device, a closed page keeps them,
 * too.
 */
const STORES = { tab: () => sessionStorage, device: () => localStorage };
const { tab, device } = STORES;
/** Questions that only the person can answer. */
interface Questions {
  /**
   * @param refused the code that was known is no longer valid.
   * @returns a token, or `undefined` for a person without a code
   */
  askCode(refused: boolean): Promise<string | undefined>;
  askName(): Promise<void>;
}

/** An invitation goes before a code, and a code before a guest. */
export function openCredentials(
  config: PlayerConfig,
  { askCode, askName, ...crowd }: Questions & CrowdOptions,
): TokenSource {
  let named: Promise<void> | undefined;
  const nameOnce = () => (named ??= askName().finally(() => (named = undefined)));
  return (
    recall(tab, INVITED_KEY) ??
    (async () => (await participantToken(config, askCode, crowd)) ?? (await guestToken(config, nameOnce, crowd)))
  );
}

/** The token that the page plays with, as far as it is known without asking. */
export function knownToken({ participants, guests }: PlayerConfig): string | undefined {
  return (
    recall(tab, INVITED_KEY) ??
    (participants ? recall(device, PARTICIPANT_KEY) : undefined) ??
    (guests && recall(STORES[guests], GUEST_KEY))
  );
}

export function keepInvited(token: string): void {
  remember(tab, INVITED_KEY, token);
}

/** @param token that the code was answered with, if it was sent already */
export function keepCode(code: string, token?: string): void {
  forget(tab, INVITED_KEY);
  remember(device, CODE_KEY, code);
  if (token !== undefined) remember(device, PARTICIPANT_KEY, token);
}

export function playsWith(code: string): boolean {
  return recall(tab, INVITED_KEY) === undefined && recall(device, CODE_KEY) === code;
}

/** Whether this tab asks a guest for a code. */
export function askForCode(on: boolean): void {
  if (on) forget(tab, NO_CODE_KEY);
  else remember(tab, NO_CODE_KEY, 'yes');
}

/** @returns a token, or `undefined` if nobody has this code. @throws if the server cannot tell now */
export async function takeCode(typed: string): Promise<string | undefined> {
  const code = codeIn(typed);
  const token = code === undefined ? undefined : await requestParticipantToken(code);
  if (code !== undefined && token !== undefined) keepCode(code, token);
  return token;
}

/** @returns whether it can be a name */
export function takeName(typed: string): boolean {
  const name = nicknameIn(typed);
  if (name !== undefined) remember(device, NAME_KEY, name);
  return name !== undefined;
}

/** For the hall's screen. Its invitation is its own: the player's page in the same tab keeps its user. */
export function openScreenCredentials(invited: string | undefined, crowd: CrowdOptions): TokenSource {
  if (invited !== undefined) remember(tab, SCREEN_KEY, invited);
  return knownScreenToken(invited) ?? (() => untilAdmitted(requestScreenToken, crowd));
}

/** The screen's invitation, if it has one. */
export function knownScreenToken(invited: string | undefined): string | undefined {
  return invited ?? recall(tab, SCREEN_KEY);
}

async function participantToken(
  { participants, guests }: PlayerConfig,
  askCode: Questions['askCode'],
  crowd: CrowdOptions,
): Promise<string | undefined> {
  if (!participants) return undefined;
  const code = recall(device, CODE_KEY);
  const known = code === undefined ? undefined : await untilAdmitted(() => takeCode(code), crowd);
  if (known !== undefined) return known;
  forget(device, CODE_KEY);
  forget(device, PARTICIPANT_KEY);
  const refused = code !== undefined;
  if (guests && !refused && recall(tab, NO_CODE_KEY) !== undefined) return undefined;
  const typed = await askCode(refused);
  if (typed === undefined) askForCode(false);
  return typed;
}

/** Guests of an event have names. The page asks for one, if this device has not played there yet. */
async function guestToken(
  { guests, event }: PlayerConfig,
  askName: Questions['askName'],
  crowd: CrowdOptions,
): Promise<string | undefined> {
  if (!guests) return undefined;
  const former = recall(STORES[guests], GUEST_KEY);
  const name = () => (guests === 'device' ? recall(device, NAME_KEY) : undefined);
  if (guests === 'device' && event !== undefined && former === undefined && name() === undefined) await askName();
  for (;;) {
    try {
      const token = await untilAdmitted(() => requestGuestToken(former, name()), crowd);
      if (token !== undefined) remember(STORES[guests], GUEST_KEY, token);
      return token;
    } catch (error) {
      if (!(error instanceof NameRefused)) throw error;
      forget(device, NAME_KEY);
      await askName();
    }
  }
}
