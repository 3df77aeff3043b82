/**
 * The fields in records of actions, in the order in which people read them: subject, amount, time, reason. jsonb keeps
 * no order.
 */
const DETAIL_FIELDS = [
  'title',
  'name',
  'label',
  'role',
  'kind',
  'who',
  'userId',
  'pseudonym',
  'address',
  'code',
  'position',
  'verb',
  'askedBy',
  'campaignId',
  'winnersOf',
  'buyersOf',
  'round',
  'topUp',
  'template',
  'theme',
  'sender',
  'from',
  'blessing',
  'prizes',
  'colours',
  'isDefault',
  'budget',
  'packets',
  'amount',
  'to',
  'keeps',
  'sku',
  'units',
  'quantity',
  'items',
  'holdMs',
  'perUserMax',
  'winsPerUser',
  'tickets',
  'proofOfWork',
  'rehearsal',
  'excludeEarlierWinners',
  'unlisted',
  'invitedOnly',
  'winsMax',
  'opensAt',
  'closesAt',
  'until',
  'expiresAt',
  'added',
  'changed',
  'removed',
  'excluded',
  'readmitted',
  'rows',
  'count',
  'claims',
  'reservations',
  'statuses',
  'imported',
  'lost',
  'lostTopUp',
  'unknown',
  'told',
  'paid',
  'outcome',
  'deadReason',
  'reason',
  'held',
  'differences',
  'counts',
  'fields',
  'found',
  'findings',
  'problems',
  'wins',
  'letters',
  'orderId',
  'letter',
  'redPacketId',
  'approval',
  'id',
  'session',
  'token',
  'signedBy',
  'commitment',
  'seed',
] as const;
export type DetailField = (typeof DETAIL_FIELDS)[number];

/** Fields that hold a moment: epoch ms, or ISO text. */
const MOMENTS: readonly string[] = ['opensAt', 'closesAt', 'until', 'expiresAt'] satisfies DetailField[];
/** Fields that hold a length of time, ms. */
const LENGTHS: readonly string[] = ['holdMs'] satisfies DetailField[];

/** The kind of a value that people read in another form than machines. */
export function kindOf(field: string, value: unknown): 'moment' | 'length' | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (MOMENTS.includes(field) && !Number.isNaN(new Date(value).getTime())) return 'moment';
  return LENGTHS.includes(field) && typeof value === 'number' ? 'length' : undefined;
}

/** The first digits tell two apart; the rest is for machines. */
const DIGITS_SHOWN = 8;
const FINGERPRINT = /^[0-9a-f]{16,}$/;

/** A commitment, a seed, a hash: hexadecimal digits that nobody reads to the end. */
export function isFingerprint(value: unknown): value is string {
  return typeof value === 'string' && FINGERPRINT.test(value);
}

export function shortened(fingerprint: string): string {
  return `${fingerprint.slice(0, DIGITS_SHOWN)}…`;
}

/** The details of an action in reading order: unknown fields after the known ones, fingerprints last. */
export function orderDetails(details: Readonly<Record<string, unknown>>): [field: string, value: unknown][] {
  const place = ([field, value]: [string, unknown]) => {
    const known = (DETAIL_FIELDS as readonly string[]).indexOf(field);
    return (known === -1 ? DETAIL_FIELDS.length : known) + (isFingerprint(value) ? 2 * DETAIL_FIELDS.length : 0);
  };
  return Object.entries(details).sort((one, other) => place(one) - place(other));
}
