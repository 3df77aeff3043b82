import { hkdfSync } from 'node:crypto';
import { createFastHmac } from '../platform/auth/hmac.ts';
import type { OrderStatus } from '../sale/order.ts';
import type { Units } from '../sale/units.ts';
import { codeOf } from '../platform/auth/typedCode.ts';
import { signingSecrets } from '../platform/auth/signingSecrets.ts';
import { seal, unseal } from './seal.ts';

/**
 * Base64url characters that are kept of an HMAC: 96 bits of what Redis passes on, 128 bits of what is kept for long.
 */
const MAC_CHARACTERS = 16;
const RECEIPT_CHARACTERS = 22;

/** A win as its user was told it. */
interface ToldWin {
  rainId: string;
  redPacketId: string;
  amount: string;
  userId: string;
}

/** An order as its buyer is told it; the id names the sale, too. */
interface MarkedOrder {
  reservationId: string;
  userId: string;
  status: OrderStatus;
}

/** A purchase as its buyer asked for it: all that is known before Redis gives it a number and a time. */
interface SignedPurchase {
  saleId: string;
  userId: string;
  sku: string;
  quantity: Units;
  /** Absent, or '': the buyer gave none. */
  ref?: string | undefined;
}

/** A buyer's wish to cancel. */
interface SignedWish {
  saleId: string;
  userId: string;
  /** The reservation's number. */
  ordinal: number;
}

/**
 * Signs packets, wins and reservations with keys that neither Redis nor the ledger has. While SIGNING_SECRET is
 * replaced, it knows several and signs with the first.
 */
export interface Signer {
  /**
   * Names the key that signs without disclosing it, 8 hexadecimal digits: stored with a rain, it shows whether a
   * process has the rain's key.
   */
  keyId: string;
  /** Names all keys. */
  keyIds: readonly string[];
  /**
   * The same signer, signing with the key of this name, such as that of an older rain; `undefined`: it has no such key.
   */
  under(keyId: string | null | undefined): Signer | undefined;
  /** Proves that the holder of the key has made this packet. In its list element, and in the claim. */
  packetMac(rainId: string, redPacketId: string, amount: string): string;
  /** Whether `mac` is the packet's signature under one of the keys. */
  isGenuine(rainId: string, packet: { redPacketId: string; amount: string; mac: string }): boolean;
  /** Proves to whoever holds the key that this win was told to this user. */
  receipt(win: ToldWin): string;
  /** Whether `receipt` is the win's under one of the keys. */
  isReceipt(receipt: string, win: ToldWin): boolean;
  /**
   * Proves that this win is in the ledger: who can write to Redis could tell users of credits that they do not have.
   */
  creditMark(win: ToldWin): string;
  /** The marks that this win may have, one under each key. */
  creditMarks(win: ToldWin): string[];
  /** Proves that an order has this status in the ledger. */
  orderMark(order: MarkedOrder): string;
  /** Whether `mark` is the order's under one of the keys. */
  isOrderMark(mark: string, order: MarkedOrder): boolean;
  /** Proves that this user has asked for this purchase. In the reservation log, and with the buyer in Redis. */
  reservationMac(purchase: SignedPurchase): string;
  /** Whether `mac` is the purchase's under one of the keys; '' and `undefined` are not. */
  isReservation(mac: string | undefined, purchase: SignedPurchase): boolean;
  /** Proves that this user wishes to cancel. */
  wishMac(wish: SignedWish): string;
  /** Whether `mac` is the wish's under one of the keys. */
  isWish(mac: string, wish: SignedWish): boolean;
  /**
   * Proves that a gateway has built this filter of the winners: with another one a winner could hear "nothing left".
   * @param text the description and the hash of the filter
   */
  filterMac(rainId: string, text: string): string;
  /** Whether `mac` is the filter's under one of the keys. */
  isFilter(mac: string, rainId: string, text: string): boolean;
  /**
   * Proves that this session of the operator's console was opened with a password.
   * @param session one line per field
   */
  sessionMac(session: string): string;
  /** Whether `mac` is the session's under one of the keys. */
  isSession(mac: string, session: string): boolean;
  /**
   * Proves that a process of ours has given this up, and why: it is shown as advice, such as to pay somebody back.
   * @param letter all of it, unambiguously
   */
  letterMac(letter: string): string;
  /** Whether `mac` is the letter's under one of the keys; `undefined` is not. */
  isLetter(mac: string | undefined, letter: string): boolean;
  /** The codes of a participant, one under each key. @param salt of chance, another one for each new code */
  participantCodes(number: string, salt: number): string[];
  /** The ledger's keys of a code, one under each key: a reader of the ledger does not get in. */
  participantCodeKeys(code: string): string[];
  /** Encrypts a secret of one-time codes. @param about what it is for, and whose it is; see seal.ts */
  sealTotp(text: string, about: string): string;
  /** @returns `undefined`: none of the keys opens it */
  openTotp(sealed: string, about: string): string | undefined;
}

type Key = Pick<
  Signer,
  | 'keyId'
  | 'packetMac'
  | 'receipt'
  | 'creditMark'
  | 'orderMark'
  | 'reservationMac'
  | 'wishMac'
  | 'filterMac'
  | 'sessionMac'
  | 'letterMac'
  | 'sealTotp'
> & {
  openOwnTotp: Signer['openTotp'];
  participantCode(number: string, salt: number): string;
  participantCodeKey(code: string): string;
};

/** @param secrets SIGNING_SECRET, one or several */
export function createSigner(secrets: string): Signer {
  const keys = signingSecrets(secrets).map(keyOf);
  const byName = new Map<string, Signer>();
  const common: Omit<Signer, keyof Key | 'keyIds'> = {
    under: (keyId) => byName.get(keyId ?? ''),
    isGenuine: (rainId, { redPacketId, amount, mac }) =>
      keys.some(({ packetMac }) => isSameSignature(mac, packetMac(rainId, redPacketId, amount))),
    isReceipt: (given, win) => keys.some(({ receipt }) => isSameSignature(given, receipt(win))),
    creditMarks: (win) => keys.map(({ creditMark }) => creditMark(win)),
    isOrderMark: (mark, order) => keys.some(({ orderMark }) => isSameSignature(mark, orderMark(order))),
    isReservation: (mac, purchase) =>
      keys.some(({ reservationMac }) => isSameSignature(mac ?? '', reservationMac(purchase))),
    isWish: (mac, wish) => keys.some(({ wishMac }) => isSameSignature(mac, wishMac(wish))),
    isFilter: (mac, rainId, text) => keys.some(({ filterMac }) => isSameSignature(mac, filterMac(rainId, text))),
    isSession: (mac, session) => keys.some(({ sessionMac }) => isSameSignature(mac, sessionMac(session))),
    isLetter: (mac, letter) => keys.some(({ letterMac }) => isSameSignature(mac ?? '', letterMac(letter))),
    participantCodes: (number, salt) => keys.map(({ participantCode }) => participantCode(number, salt)),
    participantCodeKeys: (code) => keys.map(({ participantCodeKey }) => participantCodeKey(code)),
    openTotp: (sealed, about) =>
      keys.map(({ openOwnTotp }) => openOwnTotp(sealed, about)).find((text) => text !== undefined),
  };
  const keyIds = keys.map(({ keyId }) => keyId);
  for (const key of keys) byName.set(key.keyId, { ...key, keyIds, ...common });
  return byName.get(keyIds[0]!)!;
}

/** Each purpose has a key of its own, so that no signature can be used for another purpose. */
function keyOf(secret: string): Key {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `red-packet-rain ${purpose}`, bytes));
  const packet = createFastHmac(derive('packet', 32));
  const receipt = createFastHmac(derive('receipt', 32));
  const credit = createFastHmac(derive('credit', 32));
  const order = createFastHmac(derive('order', 32));
  const reservation = createFastHmac(derive('reservation', 32));
  const wish = createFastHmac(derive('wish to cancel', 32));
  const filter = createFastHmac(derive('winners filter', 32));
  const session = createFastHmac(derive('console session', 32));
  const deadLetter = createFastHmac(derive('dead letter', 32));
  const participant = createFastHmac(derive('participant code', 32));
  const participantKey = createFastHmac(derive('key of a participant code', 32));
  const totp = derive('one-time codes', 32);
  // No id contains a control character, so the line break separates the fields unambiguously.
  return {
    keyId: derive('key id', 4).toString('hex'),
    packetMac: (rainId, redPacketId, amount) => packet(`${rainId}\n${redPacketId}\n${amount}`).slice(0, MAC_CHARACTERS),
    receipt: (win) => receipt(textOf(win)).slice(0, RECEIPT_CHARACTERS),
    creditMark: (win) => credit(textOf(win)).slice(0, RECEIPT_CHARACTERS),
    orderMark: ({ reservationId, userId, status }) =>
      order(`${reservationId}\n${userId}\n${status}`).slice(0, RECEIPT_CHARACTERS),
    reservationMac: ({ saleId, userId, sku, quantity, ref = '' }) =>
      reservation(`${saleId}\n${userId}\n${sku}\n${quantity}\n${ref}`).slice(0, MAC_CHARACTERS),
    wishMac: ({ saleId, userId, ordinal }) => wish(`${saleId}\n${userId}\n${ordinal}`).slice(0, MAC_CHARACTERS),
    filterMac: (rainId, text) => filter(`${rainId}\n${text}`).slice(0, RECEIPT_CHARACTERS),
    sessionMac: session,
    letterMac: (letter) => deadLetter(letter).slice(0, RECEIPT_CHARACTERS),
    participantCode: (number, salt) => codeOf(Buffer.from(participant(`${number}\n${salt}`), 'base64url')),
    participantCodeKey: (code) => participantKey(code).slice(0, RECEIPT_CHARACTERS),
    sealTotp: (text, about) => seal(totp, text, about),
    openOwnTotp: (sealed, about) => unseal(totp, sealed, about),
  };
}

const textOf = ({ rainId, redPacketId, amount, userId }: ToldWin): string =>
  `${rainId}\n${redPacketId}\n${amount}\n${userId}`;

/** Compares a signature in a time that does not depend on where it differs. */
export function isSameSignature(given: string, genuine: string): boolean {
  if (given.length !== genuine.length) return false;
  let difference = 0;
  for (let i = 0; i < genuine.length; i++) difference |= given.charCodeAt(i) ^ genuine.charCodeAt(i);
  return difference === 0;
}
