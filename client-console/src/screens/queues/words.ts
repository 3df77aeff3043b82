import type { QueueName, QueueState } from '../../../../src/operator/queues/names.ts';
import { counted, countText } from '../../words/figures.ts';
import { bilingual } from '../../words/language.ts';

export const WORDS = bilingual({
  title: 'Queues', told: (zone: string) => `What was won and what was bought goes through these queues, as jobs of up to 500 wins or orders. Times are those of ${zone}.`,
  answers: 'At a glance', isBehind: (age: string) => `The oldest job has waited for ${age}.`, notQueued: (count: string) => `${count} are in no queue yet.`, notKnown: 'How many are in no queue yet is not known.', nothingWaits: 'Nothing waits.', jobsWait: (n: number) => `${counted(n, 'job is', 'jobs are')} waiting or active.`,
  wins: (n: number) => counted(n, 'win'), orders: (n: number) => counted(n, 'order'), foreign: 'not one of ours',
  flows: {
    credit: { good: 'What was won is being credited', late: 'Crediting is behind', no_worker: 'Nothing is credited: no worker is connected', paused: 'Nothing is credited: the queue is paused', unknown: 'Not known whether anything is credited' },
    orders: { good: 'Orders are being handed over', late: 'Handing over is behind', no_worker: 'No order is handed over: no worker is connected', paused: 'No order is handed over: the queue is paused', unknown: 'Not known whether orders are handed over' },
  },
  retried: (n: number) => (n === 0 ? 'Nothing has to be tried again' : `${counted(n, 'job is', 'jobs are')} to be tried again`), givenUp: (n: number) => (n === 0 ? 'Nothing was given up' : `Given up: ${countText(n)}`), next: (time: string) => `next at ${time}`,
  startWorker: 'Start a worker:', pausedTold: 'Somebody has paused it in Redis. A worker ends that by itself.',
  queue: 'Queue', waiting: 'Waiting', active: 'Active', delayed: 'To be tried again', failed: 'Given up', oldest: 'Oldest since', state: 'State',
  states: { working: 'a worker is connected', paused: 'paused', no_worker: 'no worker is connected', idle: 'nothing to do', unknown: 'not known', operator: 'for an operator' } as Record<QueueState, string>,
  names: { credit: 'Credit wins', later: 'Credit once more', dead: 'Wins given up', orders: 'Hand over orders', ordersLater: 'Hand over once more', ordersEnded: 'Tell of ended orders', ordersDead: 'Orders given up' } as Record<QueueName, string>,
  purposes: {
    credit: 'Wins go to the account or the wallet.', later: 'Wins that the wallet has not accepted yet.', dead: 'They are dead letters.', orders: 'Reservations become orders, and the shop gets them.',
    ordersLater: 'Orders that the shop has not accepted yet.', ordersEnded: 'The shop hears of orders that were cancelled, timed out or refunded.', ordersDead: 'They are dead letters.',
  } as Record<QueueName, string>,
  jobs: { delayed: 'Jobs to be tried again', failed: 'Jobs that were given up' }, rain: 'Rain or sale', holds: 'Holds', attempts: 'Attempts', attempt: (n: number, most: number) => `${countText(n)} of ${countText(most)}`, error: 'Last error', noError: 'none', nextTry: 'Next try', added: 'Since', id: 'Job',
  none: { delayed: 'No job is to be tried again', failed: 'No job was given up' }, noneTold: 'A job that meets a fault, or that the wallet or the shop does not accept yet, appears here with the reason.',
  sentAgain: 'Their entries are not lost: the workers send them again from their log.', untold: 'The shop is told of these orders no more. No unit and no order depends on it.',
  page: (page: number, pages: number, jobs: number) => `Page ${countText(page)} of ${countText(pages)}, ${counted(jobs, 'job')}`, earlier: 'Previous page', later: 'Next page', pages: 'Pages',
}, {
  title: '队列', told: (zone) => `中奖与购买都经过这些队列，每个任务最多 500 笔。时间为 ${zone} 时区。`,
  answers: '概览', isBehind: (age) => `最早的任务已等待 ${age}。`, notQueued: (count) => `${count}尚未入队。`, notKnown: '尚未入队的数量未知。', nothingWaits: '没有等待的任务。', jobsWait: (n) => `${countText(n)} 个任务等待或处理中。`,
  wins: (n) => `${countText(n)} 个中奖`, orders: (n) => `${countText(n)} 个订单`, foreign: '不是本系统的任务',
  flows: {
    credit: { good: '中奖正在入账', late: '入账有延迟', no_worker: '没有入账：没有工作进程连接', paused: '没有入账：队列已暂停', unknown: '是否在入账：未知' },
    orders: { good: '订单正在提交', late: '订单提交有延迟', no_worker: '没有提交订单：没有工作进程连接', paused: '没有提交订单：队列已暂停', unknown: '是否在提交订单：未知' },
  },
  retried: (n) => (n === 0 ? '没有待重试的任务' : `${countText(n)} 个任务待重试`), givenUp: (n) => (n === 0 ? '没有放弃的任务' : `已放弃：${countText(n)}`), next: (time) => `下次 ${time}`,
  startWorker: '启动工作进程：', pausedTold: '有人在 Redis 中暂停了它。工作进程会自动恢复。',
  queue: '队列', waiting: '等待', active: '处理中', delayed: '待重试', failed: '已放弃', oldest: '最早始于', state: '状态',
  states: { working: '工作进程已连接', paused: '已暂停', no_worker: '没有工作进程连接', idle: '没有任务', unknown: '未知', operator: '等待人工处理' },
  names: { credit: '中奖入账', later: '重试入账', dead: '放弃的中奖', orders: '提交订单', ordersLater: '重试提交', ordersEnded: '通知订单终结', ordersDead: '放弃的订单' },
  purposes: {
    credit: '把中奖记入账户或钱包。', later: '钱包尚未接受的中奖。', dead: '即死信。', orders: '预占成为订单，并交给商家。',
    ordersLater: '商家尚未接受的订单。', ordersEnded: '把取消、超时或退款的订单告知商家。', ordersDead: '即死信。',
  },
  jobs: { delayed: '待重试的任务', failed: '已放弃的任务' }, rain: '场次', holds: '内容', attempts: '尝试次数', attempt: (n, most) => `${countText(n)} / ${countText(most)}`, error: '最近的错误', noError: '无', nextTry: '下次重试', added: '始于', id: '任务',
  none: { delayed: '没有待重试的任务', failed: '没有放弃的任务' }, noneTold: '遇到故障，或钱包、商家尚未接受的任务，会带着原因出现在这里。',
  sentAgain: '其中的内容没有丢失：工作进程会从日志中重新发送。', untold: '不再把这些订单告知商家。库存与订单都不受影响。',
  page: (page, pages, jobs) => `第 ${countText(page)} / ${countText(pages)} 页，共 ${countText(jobs)} 个任务`, earlier: '上一页', later: '下一页', pages: '分页',
});
