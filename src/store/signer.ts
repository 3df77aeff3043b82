import { createHmac } from 'node:crypto';

/** A win as its user was told it. */
interface ToldWin {
  rainId: string;
  redPacketId: string;
  amount: string;
  userId: string;
}

/** Signs packets and wins with keys that neither Redis nor the ledger has. */
export interface Signer {
  /** Names the key without disclosing it. */
  keyId: string;
  /** Proves that the holder of the key has made this packet. */
  packetMac(rainId: string, redPacketId: string, amount: string): string;
  /** Proves to whoever holds the key that this win was told to this user. */
  receipt(win: ToldWin): string;
}

/** @param secret SIGNING_SECRET */
export function createSigner(secret: string): Signer {
  const sign = (...fields: string[]) => createHmac('sha256', secret).update(fields.join('\n')).digest('base64url').slice(0, 22);
  return {
    keyId: sign('key id').slice(0, 8),
    packetMac: (rainId, redPacketId, amount) => sign('packet', rainId, redPacketId, amount),
    receipt: ({ rainId, redPacketId, amount, userId }) => sign('receipt', rainId, redPacketId, amount, userId),
  };
}
