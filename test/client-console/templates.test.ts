import { expect, test } from 'vitest';
import { newDraft, planOf, requestsOf, type Draft } from '../../client-console/src/screens/create/draft.ts';
import { draftFrom, templateOf, titleOf } from '../../client-console/src/screens/templates/template-draft.ts';
import { reasonIn } from '../../client-console/src/words/refusals.ts';

const NOW = Date.parse('2027-01-20T12:00:00Z');
const DRAFT: Draft = {
  ...newDraft(NOW),
  title: ' Annual party ',
  budget: '8888',
  packets: '300',
  method: 'tiers',
  rows: { tiers: [{ count: '1', amount: '888' }] },
  min: '1',
  duration: '2',
  durationUnit: 'min',
  terms: { invitedOnly: true, unlisted: false },
  greeting: { sender: 'Ann Li', blessing: '', prizes: [{ from: '88', blessing: 'Grand prize' }], theme: 'spring' },
};
const SAID = {
  title: 'Annual party',
  plan: {
    budget: '8888.00',
    packets: 300,
    split: { method: 'tiers', tiers: [{ count: 1, amount: '888.00' }] },
    min: '1.00',
  },
  durationMs: 120_000,
  terms: { invitedOnly: true },
  greeting: { sender: 'Ann Li', theme: 'spring', prizes: [{ from: '88.00', blessing: 'Grand prize' }] },
};

test('a form becomes a template, and a form that is filled in from it asks for the same rain', () => {
  expect(templateOf(DRAFT)).toEqual(SAID);
  const filled = { ...newDraft(NOW), ...draftFrom({ rain: SAID }), title: titleOf(SAID) };
  expect(templateOf(filled)).toEqual(SAID);
  const [asked] = requestsOf(filled, NOW);
  const { durationMs, ...form } = SAID;
  expect(asked).toMatchObject(form);
  expect(asked!.closesAt - asked!.opensAt).toBe(durationMs);
  expect(titleOf({}), 'a template without a title of its rains').toBe('');
});

test('what the form has no field for is kept, and a campaign decides the shards of its rounds', () => {
  const rain = { ...SAID, shards: 4, ticketRules: { tickets: 'always', proofOfWork: 'off' } };
  const filled = { ...newDraft(NOW), title: 'x', ...draftFrom({ rain }) };
  expect(templateOf(filled)).toMatchObject({ shards: 4, ticketRules: rain.ticketRules });
  expect(requestsOf(filled, NOW)[0]).toMatchObject({ shards: 4, ticketRules: rain.ticketRules });
  expect(requestsOf({ ...filled, campaign: { id: 'c1', first: 1 } }, NOW)[0]).not.toHaveProperty('shards');
  expect({ ...filled, ...draftFrom({ rain: SAID }) }.kept, 'another template').toEqual({});
});

test('a template takes nothing from a campaign whose form it is saved from', () => {
  const template = templateOf({
    ...DRAFT,
    campaign: { id: 'c1', first: 3 },
    terms: { excludeEarlierWinners: true, unlisted: true },
  });
  expect([template.terms, 'campaign' in template]).toEqual([{ unlisted: true }, false]);
});

test.each([
  [{}],
  [{ plan: 'text', terms: 5, greeting: null, durationMs: 'long' }],
  [
    {
      plan: { budget: 5, packets: {}, split: { method: 'dice', rows: [7] } },
      terms: { unlisted: 'yes', luck: 7 },
      greeting: { sender: 5, colour: 'red' },
      durationMs: -1,
    },
  ],
])('what cannot be read in a template is left to be typed: %j', (rain) => {
  const filled = { ...newDraft(NOW), ...draftFrom({ rain }) };
  expect(() => planOf(filled)).not.toThrow();
  expect([filled.method, filled.duration, Object.keys(filled.greeting)]).toEqual([
    'double-mean',
    '60',
    ['sender', 'blessing', 'prizes', 'theme'],
  ]);
});

test('[R12] what is wrong with a template is told in Chinese, too', () => {
  for (const reason of [
    'there are 100 templates, which is the most; remove one first',
    'there is no template party',
    'expected either a rain to take it from or what it says, not both',
    'expected an object with plan and durationMs',
    'expected milliseconds, above zero',
    'expected the method double-mean, tiers or even',
  ]) {
    expect(reasonIn('zh', reason), reason).toMatch(/^[^a-z]*[\u4e00-\u9fff]/);
  }
});
