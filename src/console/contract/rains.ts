import { z } from 'zod';
import { auditReport } from '../../rain/equation.ts';
import { METHODS_IN_WORDS } from '../../rain/split/methods.ts';
import { askedTerms, toldTerms } from '../../rain/terms-check.ts';
import { endpoint } from './endpoint.ts';
import { count, epochMs, limit, money, rainParams, state, time } from './fields.ts';

/** As `rain list --json` tells it. */
export const rainView = z.object({
  rainId: z.string(), title: z.string(), terms: toldTerms.describe('What was decided about it, where that is not as usual. Of a rehearsal all amounts are test money.'),
  campaign: z.object({ id: z.string(), round: z.int() }).optional(), state, opensAt: time, closesAt: time, budget: money, packets: count, shards: count,
  left: count, claims: count, spoiled: count, relayed: count, credited: count, creditedAmount: money, recycled: money,
});

const topUp = z.object({ topUp: count, id: z.string(), budget: money, packets: count, commitment: z.string(), at: time, seed: z.string().optional() });

const rainDetail = rainView.extend({
  loaded: count.describe('Packets that have been in Redis so far.'),
  payoutProvider: z.enum(['ledger', 'webhook']).optional().describe('Who keeps its users\' money; from the moment on that a worker has seen it loaded, and for good.'),
  topUps: z.array(topUp).describe('What was added since the creation, in order.'),
  commitment: z.string().optional(),
  seed: z.string().optional().describe('Only of a settled rain: until then it is a secret.'),
});

/** Budget, packets, split, min, max: judged by the plan's own check, which answers with figures. */
const plan = z.unknown().describe(`{budget, packets, split?, min?, max?}; amounts are decimal strings; split is {method}, one of ${METHODS_IN_WORDS}, and the list that it asks for.`);

/** Ids, times and shards are judged by the verb that takes them. */
const newRain = z.strictObject({
  id: z.string().optional().describe('Chosen once by who asks, so that asking twice makes one rain.'),
  title: z.string().optional(),
  plan,
  opensAt: z.number('expected epoch milliseconds'),
  closesAt: z.number('expected epoch milliseconds'),
  shards: z.number('expected a number of shards').optional(),
  terms: askedTerms.optional().describe('What is to be decided about it beside money, times and title; for good.'),
  campaign: z.strictObject({ id: z.string(), round: z.number('expected a round') }, 'expected {"id","round"}').optional()
    .describe('A round of a campaign: then it is called <id>.<round>.'),
  load: z.boolean('expected true or false').default(true).describe('Preallocate the packets at once.'),
  dryRun: z.boolean('expected true or false').default(false).describe('Only say whether it would be taken; nothing is written.'),
});

const created = z.object({ rainId: z.string(), opensAt: epochMs, closesAt: epochMs, commitment: z.string().optional(), loaded: count.optional() });

const refusals = z.array(z.object({ field: z.string(), reason: z.string() }));

const preview = z.union([
  z.object({ ok: z.literal(false), refusals }),
  z.object({
    ok: z.literal(true), packets: count, budget: money, min: money, max: money, mean: money, median: money, luckiest: money,
    histogram: z.array(z.object({ from: money, to: money, count })).max(40).describe('Both ends belong to the bin.'),
    sample: z.array(money).max(200).describe('The first amounts in the order in which they would be handed out.'),
  }),
]);

const share = z.object({ redPacketId: z.string(), amount: money, userId: z.string() });
const audit = auditReport.extend({
  counts: z.record(z.string(), count), told_twice: count, discarded: count,
  in_order: z.boolean().describe('It adds up, and nothing waits for a person.'),
  findings: z.array(z.string()).describe('What breaks the equation, or what is owed, in plain words; the first hundred.'),
  lost_from_log: z.array(share).max(100),
  queues: z.object({ jobs: z.record(z.string(), z.object({ jobs: count, claims: count })), dead: z.object({ count, amount: money }), complete: z.boolean() }).optional(),
});

const verdict = z.object({
  fair: z.boolean(), rainId: z.string(), commitment: z.string(), seed: z.string(), plan: z.unknown(), shards: count, topUps: z.array(z.unknown()).optional(), packets: count,
  checked: z.object({ left: count, claims: count, credits: count, receipts: count }), outOfTurn: count, problems: z.array(z.string()),
});

const path = '/api/console/rains';
const tag = 'rains';
const params = rainParams;
const transitioned = z.object({ state });
const moved = z.object({ state, opensAt: epochMs, closesAt: epochMs });

const addition = z.strictObject({
  id: z.string().optional().describe('Chosen once by who asks: the same id adds the same money once.'),
  budget: z.string('expected an amount as text, such as "12.21"'),
  packets: z.number('expected a number of packets'),
  split: z.unknown().optional(),
  min: z.string('expected an amount such as "0.01"').optional(),
  max: z.string('expected an amount such as "12.21"').optional(),
  dryRun: z.boolean('expected true or false').optional(),
});
const added = z.object({
  rainId: z.string(), id: z.string(), packets: count, budget: money, total: z.object({ packets: count, budget: money }),
  loaded: z.boolean().describe('False: the rain is not loaded yet; they are loaded with it.'), commitment: z.string().optional().describe('Absent of a dry run: nothing was drawn.'),
});

export const rainsApi = {
  list: endpoint({ id: 'listRains', method: 'GET', path, tag, summary: 'The newest rains.', who: 'viewer', query: z.strictObject({ limit: limit(1_000) }), status: 200, answer: z.object({ rains: z.array(rainView), total: count }) }),
  create: endpoint({ id: 'createRain', method: 'POST', path, tag, summary: 'Plan a rain and put its budget aside.', who: 'operator', body: newRain, status: 201, answer: created }),
  preview: endpoint({
    id: 'previewRain', method: 'POST', path: `${path}/preview`, tag, summary: 'What a plan would give, drawn from a throw-away seed, or what would be refused.', who: 'viewer',
    body: z.strictObject({ plan, draws: z.int('expected 1 to 20').min(1, 'expected 1 to 20').max(20, 'expected 1 to 20').default(1) }), status: 200, answer: preview,
  }),
  show: endpoint({ id: 'showRain', method: 'GET', path: `${path}/:rainId`, tag, summary: 'One rain.', who: 'viewer', params, status: 200, answer: rainDetail }),
  load: endpoint({ id: 'loadRain', method: 'POST', path: `${path}/:rainId/load`, tag, summary: 'Preallocate the packets; goes on where it stopped.', who: 'operator', params, status: 200, answer: z.object({ state, packets: count }) }),
  pause: endpoint({ id: 'pauseRain', method: 'POST', path: `${path}/:rainId/pause`, tag, summary: 'Stop granting; the window runs on.', who: 'operator', params, status: 200, answer: transitioned }),
  resume: endpoint({ id: 'resumeRain', method: 'POST', path: `${path}/:rainId/resume`, tag, summary: 'Grant again.', who: 'operator', params, status: 200, answer: transitioned }),
  close: endpoint({ id: 'closeRain', method: 'POST', path: `${path}/:rainId/close`, tag, summary: 'End it now, for good.', who: 'operator', params, status: 200, answer: transitioned }),
  start: endpoint({
    id: 'startRain', method: 'POST', path: `${path}/:rainId/start`, tag, summary: 'Start a loaded rain now; it lasts as long as it was to last.', who: 'operator', params,
    body: z.strictObject({ inMs: z.number('expected milliseconds').optional().describe('A countdown of so long, ms, that every screen shows.') }).nullish(), status: 200, answer: moved,
  }),
  schedule: endpoint({
    id: 'scheduleRain', method: 'POST', path: `${path}/:rainId/schedule`, tag, summary: 'Move a rain that has not opened.', who: 'operator', params,
    body: z.strictObject({ opensAt: z.number('expected epoch milliseconds'), closesAt: z.number('expected epoch milliseconds') }), status: 200, answer: moved,
  }),
  topUp: endpoint({ id: 'topUpRain', method: 'POST', path: `${path}/:rainId/top-up`, tag, summary: 'Add money and packets, also while it runs.', who: 'operator', params, body: addition, status: 200, answer: added }),
  recycle: endpoint({
    id: 'recycleRain', method: 'POST', path: `${path}/:rainId/recycle`, tag, summary: 'Settle a rain that is over, now, or hear what is still outstanding.', who: 'operator', params, status: 200,
    answer: z.object({ state, amount: money.describe('What went back.') }),
  }),
  audit: endpoint({ id: 'auditRain', method: 'GET', path: `${path}/:rainId/audit`, tag, summary: 'The money equation, weighed now.', who: 'viewer', params, status: 200, answer: audit }),
  verify: endpoint({ id: 'verifyRain', method: 'GET', path: `${path}/:rainId/verify`, tag, summary: 'Compare a settled rain with what was committed to.', who: 'viewer', params, status: 200, answer: verdict }),
};
