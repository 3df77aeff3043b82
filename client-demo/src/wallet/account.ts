import { isObject, request } from '../api.ts';

/** Nobody scrolls through more on a phone. */
const PACKETS_MAX = 50;

/** `pending`: won, not credited yet · `held`: under review by an operator. */
export type PacketStatus = 'credited' | 'pending' | 'held';

export interface OwnPacket {
  rainId: string;
  title: string;
  redPacketId: string;
  /** "12.21" */
  amount: string;
  /** ISO time of the win. */
  at: string;
  status: PacketStatus;
  rehearsal: boolean;
}

export interface Account {
  /** "12.21" */
  wallet: string;
  pending: string;
  packets: OwnPacket[];
  /** There are older packets than these. */
  more: boolean;
  /** The latest wins may be missing. */
  late: boolean;
}

/** @throws when the console cannot be reached, does not know this player, or does not answer as expected */
export async function readAccount(token: string): Promise<Account> {
  const { status, body } = await request('api/me', { headers: { authorization: `Bearer ${token}` } });
  const account = toAccount(body);
  if (!account) throw new Error(`no account: ${status}`);
  return account;
}

/** @returns `undefined` if the value is no account */
export function toAccount(value: unknown): Account | undefined {
  if (!isObject(value) || typeof value['wallet'] !== 'string' || !Array.isArray(value['packets'])) return undefined;
  const packets = (value['packets'] as unknown[]).flatMap((packet) => toPacket(packet) ?? []);
  return {
    wallet: value['wallet'],
    pending: typeof value['pending'] === 'string' ? value['pending'] : '0.00',
    packets: packets.slice(0, PACKETS_MAX),
    more: value['next'] !== undefined || packets.length > PACKETS_MAX,
    late: value['settled'] === false,
  };
}

function toPacket(value: unknown): OwnPacket | undefined {
  if (!isObject(value)) return undefined;
  const { rainId, title, redPacketId, amount, at, status, rehearsal } = value;
  if (typeof rainId !== 'string' || typeof redPacketId !== 'string' || typeof amount !== 'string') return undefined;
  if (status !== 'credited' && status !== 'pending' && status !== 'held') return undefined;
  return {
    rainId,
    redPacketId,
    amount,
    status,
    title: typeof title === 'string' ? title : '',
    at: typeof at === 'string' ? at : '',
    rehearsal: rehearsal === true,
  };
}
