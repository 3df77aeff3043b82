import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { importParticipants, participantCards } from '../../../src/operator/participants.ts';
import { orderPage, ordersSheet, searchOrders } from '../../../src/operator/sale/orders.ts';
import { wallTime } from '../../../src/platform/timeZone.ts';
import { signer } from '../../support/signer.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;

const list = (csv: string, rename = false) =>
  importParticipants({ ...context, signer }, Readable.from([Buffer.from(csv)]), { rename });

async function sheet(saleId: string, search = {}): Promise<string[]> {
  const found = await searchOrders(context, saleId, search);
  if (!found.ok) throw new Error(JSON.stringify(found.refusals));
  return (await text(await ordersSheet(context, found.orders, 'plain'))).trimEnd().split('\n');
}

test('where there is a list of participants, buyers have number, present name and department, in the page and in the CSV', async () => {
  await stage.open('raffle');
  await stage.buy(
    'raffle',
    { userId: 'participant-E1/Anna Li' },
    { userId: 'participant-E9/Nobody' },
    { userId: 'somebody', quantity: 2 },
  );
  await stage.write('raffle');
  expect((await sheet('raffle'))[0]).toMatch(/,reservedAt,payBy,changedAt,ref$/);

  await list('number,name,department\nE1,Anna Li,=Sales\n');
  const [card] = await participantCards({ ...context, signer });
  await context.ledger.enterByCode(signer.participantCodeKeys(card!.code!));
  await list('number,name,department\nE1,Anna Lee,=Sales\n', true);
  const page = await orderPage(context, 'raffle', {}, 10);
  if (!page.ok) throw new Error(JSON.stringify(page.refusals));
  expect(page.orders).toMatchObject([
    { userId: 'participant-E1/Anna Li', participant: { number: 'E1', name: 'Anna Lee', department: '=Sales' } },
    { userId: 'participant-E9/Nobody' },
    { userId: 'somebody', quantity: 2 },
  ]);
  expect(page.orders[1]).not.toHaveProperty('participant');
  const [head, ...lines] = await sheet('raffle');
  expect(head).toMatch(/ref,participantNumber,participantName,department$/);
  expect(lines.map((line) => line.split(',').slice(-3))).toEqual([
    ['E1', 'Anna Lee', "'=Sales"],
    ['', '', ''],
    ['', '', ''],
  ]);
  const found = await searchOrders(context, 'raffle');
  if (!found.ok) throw new Error(JSON.stringify(found.refusals));
  const [names, first] = (
    await text(await ordersSheet({ ...context, timeZone: 'Asia/Kathmandu' }, found.orders, 'spreadsheet'))
  )
    .split('\r\n')
    .map((line) => line.split(','));
  expect(first![names!.indexOf('localTime')]).toBe(
    wallTime(Date.parse(page.orders[0]!.reservedAt), 'Asia/Kathmandu').replace('T', ' '),
  );
  expect(await sheet('raffle', { user: 'participant-E1/Anna Li' })).toHaveLength(2);
});
