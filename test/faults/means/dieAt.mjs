// Loaded into a worker with --import: kills it at one precise moment, as kill -9 would.
//
//     FAULTS_DIE_AT=<moment>:<n>    at the nth claim; at the nth time if the moment has no claim
//
//     added      BullMQ has accepted a range of claims, the relay's cursor has not moved
//     credited   claims are in the ledger, no user has been notified
//     recycled   unclaimed money went back, the rain is not settled yet
//     settled    the rain is settled in the ledger, not yet in Redis
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

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

// lua/credited.lua has exactly two keys: state and credited.
const { evalsha } = Redis.prototype;
Redis.prototype.evalsha = function (...args) {
  if (args[1] === 2 && String(args[3]).endsWith(':credited')) dieAt('credited', args.length - 4);
  return evalsha.apply(this, args);
};

const SETTLES_RAIN = /UPDATE "Rain" SET "settledAt"/;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  if (!SETTLES_RAIN.test(args[0]?.text ?? args[0])) return query.apply(this, args);
  dieAt('recycled');
  // A pool passes a callback.
  const callback = args.at(-1);
  if (typeof callback !== 'function') return query.apply(this, args).then((rows) => { dieAt('settled'); return rows; });
  return query.apply(this, [...args.slice(0, -1), (...answer) => {
    dieAt('settled');
    callback(...answer);
  }]);
};
