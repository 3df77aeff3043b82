// A worker that kills itself at one precise moment, as kill -9 would. It is the compiled program before it is bundled:
// a bundle has packages of its own, which cannot be changed from here.
//
//     FAULTS_DIE_AT=<moment>:<n>    at the nth claim or order; at the nth time if the moment has none
//
//     added      BullMQ has accepted a range of claims, the relay's cursor has not moved
//     credited   claims are in the ledger, no user has been notified
//     recycled   unclaimed money went back, the rain is not settled yet
//     settled    the rain is settled in the ledger, not yet in Redis
//
//     ordered       orders of a sale are in the ledger, no buyer has been told
//     following     an order has ended or is paid, Redis does not know it
//     followed      Redis knows it, the ledger does not know that
//     cancelled     an order is cancelled, the wish for it is still in Redis
//     expired       an order has timed out in the ledger
//     sale-settled  the sale is settled in the ledger, not yet in Redis
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { runCommandLine } from '../../../dist/bin/program.js';
import { processTerminal } from '../../../dist/bin/terminal.js';

const [moment, n] = process.env.FAULTS_DIE_AT.split(':');
let left = Number(n);

// Counts claims, not ranges: on a busy machine a few ranges carry a whole rain, and the nth range might never come.
function dieAt(name, claims = 1) {
  if (name === moment && (left -= claims) <= 0) process.kill(process.pid, 'SIGKILL');
}

const { add } = Queue.prototype;
Queue.prototype.add = async function (...args) {
  const job = await add.apply(this, args);
  dieAt('added', args[1]?.entries?.length ?? 0);
  return job;
};

// lua/credited.lua has exactly two keys: state and credited; lua/follow.lua four, which no other script has in this
// order.
const { evalsha } = Redis.prototype;
Redis.prototype.evalsha = function (...args) {
  if (args[1] === 2 && String(args[3]).endsWith(':credited')) dieAt('credited', args.length - 4);
  if (args[1] !== 4 || !String(args[4]).endsWith(':buyers')) return evalsha.apply(this, args);
  const announced = args[8] === 'o';
  const orders = (args.length - 6) / 4;
  dieAt(announced ? 'ordered' : 'following', orders);
  const answer = evalsha.apply(this, args);
  return announced
    ? answer
    : answer.then((reply) => {
        dieAt('followed', orders);
        return reply;
      });
};

const SETTLES_RAIN = /UPDATE "Rain" SET "settledAt"/;
/** Actions when a statement has changed rows, by its text. A time-out is committed later. */
const DONE = [
  [/UPDATE "SaleOrder" SET "status" = 'cancelled'/, 'cancelled'],
  [/UPDATE "Sale" SET "sealedAt".*"settledAt" = coalesce/s, 'sale-settled'],
];
const TIMES_OUT = /UPDATE "SaleOrder" SET "status" = 'timed_out'/;
let timedOut = 0;

function after(text, result) {
  if (SETTLES_RAIN.test(text)) dieAt('settled');
  const rows = result?.rowCount ?? 0;
  for (const [statement, name] of DONE) if (rows > 0 && statement.test(text)) dieAt(name, rows);
  if (TIMES_OUT.test(text)) timedOut = rows;
  if (text === 'COMMIT' && timedOut > 0) dieAt('expired', timedOut);
}

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const text = String(args[0]?.text ?? args[0]);
  if (SETTLES_RAIN.test(text)) dieAt('recycled');
  // A pool passes a callback.
  const callback = args.at(-1);
  if (typeof callback !== 'function')
    return query.apply(this, args)?.then?.((result) => {
      after(text, result);
      return result;
    });
  return query.apply(this, [
    ...args.slice(0, -1),
    (error, result) => {
      if (!error) after(text, result);
      callback(error, result);
    },
  ]);
};

process.exitCode = await runCommandLine(processTerminal(), process.argv.slice(2));
