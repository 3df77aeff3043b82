import type { Receipt, ReceiptStore } from '../../src/client/client.ts';
import { recall, remember } from './storage.ts';

/** Receipts kept in the browser; the oldest go first. */
const KEPT_MAX = 50;
const KEY = 'rain.receipts';

interface Kept extends Receipt {
  rainId: string;
  userId: string;
}

/**
 * Receipts of wins, kept if the browser allows it, so that a reloaded page can show a win that the server has lost.
 * When the first storage is full or forbidden, the next one is used: that of the tab has room of its own.
 */
export function openReceipts(...storages: (() => Storage)[]): ReceiptStore {
  const all = storages.length > 0 ? storages : [() => localStorage, () => sessionStorage];
  return {
    read(rainId, userId) {
      const found = all.flatMap(readAll).find((kept) => kept.rainId === rainId && kept.userId === userId);
      return found && { redPacketId: found.redPacketId, amount: found.amount, receipt: found.receipt };
    },
    write(rainId, userId, receipt) {
      all.some((storage) => {
        const others = readAll(storage).filter((kept) => kept.rainId !== rainId || kept.userId !== userId);
        return remember(storage, KEY, JSON.stringify([...others, { rainId, userId, ...receipt }].slice(-KEPT_MAX)));
      });
    },
  };
}

/** The entries that this page has stored; anything else counts as nothing. */
function readAll(storage: () => Storage): Kept[] {
  try {
    const all = JSON.parse(recall(storage, KEY) ?? '[]') as unknown;
    return Array.isArray(all) ? all.filter(isKept) : [];
  } catch {
    return [];
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  return ['rainId', 'userId', 'redPacketId', 'amount', 'receipt'].every((name) => typeof fields[name] === 'string');
}
