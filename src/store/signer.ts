import { hkdfSync } from 'node:crypto';
import { createFastHmac } from '../platform/auth/hmac.ts';
import { signingSecrets } from '../platform/auth/signingSecrets.ts';

/** Base64url characters that are kept of an HMAC: 96 bits of a packet's, 128 bits of what is kept for long. */
const MAC_CHARACTERS = 16;
const RECEIPT_CHARACTERS = 22;

/** A win as its user was told it. */
interface ToldWin {
  rainId: string;
  redPacketId: string;
  amount: string;
  userId: string;
}

/** Signs packets and wins with keys that neither Redis nor the ledger has. While SIGNING_SECRET is replaced, it knows several and signs with the first. */
export interface Signer {
  /** Names the key that signs without disclosing it, 8 hexadecimal digits: stored with a rain, it shows whether a process has the rain's key. */
  keyId: string;
  /** Names all keys. */
  keyIds: readonly string[];
  /** The same signer, signing with the key of this name, such as that of an older rain; `undefined`: it has no such key. */
  under(keyId: string | null | undefined): Signer | undefined;
  /** Proves that the holder of the key has made this packet. In its list element, and in the claim. */
  packetMac(rainId: string, redPacketId: string, amount: string): string;
  /** Whether `mac` is the packet's signature under one of the keys. */
  isGenuine(rainId: string, packet: { redPacketId: string; amount: string; mac: string }): boolean;
  /** Proves to whoever holds the key that this win was told to this user. */
  receipt(win: ToldWin): string;
  /** Whether `receipt` is the win's under one of the keys. */
  isReceipt(receipt: string, win: ToldWin): boolean;
  /** Proves that this win is in the ledger: who can write to Redis could tell users of credits that they do not have. */
  creditMark(win: ToldWin): string;
  /** The marks that this win may have, one under each key. */
  creditMarks(win: ToldWin): string[];
  /** Proves that this session of the operator's console was opened with a password. @param session one line per field */
  sessionMac(session: string): string;
  /** Whether `mac` is the session's under one of the keys. */
  isSession(mac: string, session: string): boolean;
}

type Key = Pick<Signer, 'keyId' | 'packetMac' | 'receipt' | 'creditMark' | 'sessionMac'>;

/** @param secrets SIGNING_SECRET, one or several */
export function createSigner(secrets: string): Signer {
  const keys = signingSecrets(secrets).map(keyOf);
  const byName = new Map<string, Signer>();
  const common: Omit<Signer, keyof Key | 'keyIds'> = {
    under: (keyId) => byName.get(keyId ?? ''),
    isGenuine: (rainId, { redPacketId, amount, mac }) => keys.some(({ packetMac }) => isSameSignature(mac, packetMac(rainId, redPacketId, amount))),
    isReceipt: (given, win) => keys.some(({ receipt }) => isSameSignature(given, receipt(win))),
    creditMarks: (win) => keys.map(({ creditMark }) => creditMark(win)),
    isSession: (mac, session) => keys.some(({ sessionMac }) => isSameSignature(mac, sessionMac(session))),
  };
  const keyIds = keys.map(({ keyId }) => keyId);
  for (const key of keys) byName.set(key.keyId, { ...key, keyIds, ...common });
  return byName.get(keyIds[0]!)!;
}

/** Each purpose has a key of its own, so that no signature can be used for another purpose. */
function keyOf(secret: string): Key {
  const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', `red-packet-rain ${purpose}`, bytes));
  const packet = createFastHmac(derive('packet', 32));
  const receipt = createFastHmac(derive('receipt', 32));
  const credit = createFastHmac(derive('credit', 32));
  const session = createFastHmac(derive('console session', 32));
  // No id contains a control character, so the line break separates the fields unambiguously.
  return {
    keyId: derive('key id', 4).toString('hex'),
    packetMac: (rainId, redPacketId, amount) => packet(`${rainId}\n${redPacketId}\n${amount}`).slice(0, MAC_CHARACTERS),
    receipt: (win) => receipt(textOf(win)).slice(0, RECEIPT_CHARACTERS),
    creditMark: (win) => credit(textOf(win)).slice(0, RECEIPT_CHARACTERS),
    sessionMac: session,
  };
}

const textOf = ({ rainId, redPacketId, amount, userId }: ToldWin): string => `${rainId}\n${redPacketId}\n${amount}\n${userId}`;

/** Compares a signature in a time that does not depend on where it differs. */
export function isSameSignature(given: string, genuine: string): boolean {
  if (given.length !== genuine.length) return false;
  let difference = 0;
  for (let i = 0; i < genuine.length; i++) difference |= given.charCodeAt(i) ^ genuine.charCodeAt(i);
  return difference === 0;
}
