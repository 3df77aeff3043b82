import { Command, Redis } from 'ioredis';

/** The parts of a connection that ioredis's own timeout for a silent one uses. */
interface Silent {
  options: { socketTimeout?: number };
  stream: { destroy(error: Error): unknown; once(event: 'data', act: () => void): unknown };
  commandQueue: { length: number };
  socketTimeoutTimer: NodeJS.Timeout | undefined;
  setSocketTimeout(): void;
}

interface Timed {
  isSettled: boolean;
  _commandTimeoutTimer: NodeJS.Timeout | undefined;
  reject(error: Error): void;
}

/** A late timer runs before the loop reads what has come: it gets one turn to read. */
const afterReading = (act: () => void, ms: number) => setTimeout(() => void setImmediate(act), ms);

/**
 * A process that gets no processor for two seconds has its answers, and has not read them. The timeouts of ioredis took
 * that for a Redis that is silent: commands that were done failed, connections were cut, and all of it was tried again
 * by a process that had no time for it.
 */
export function readBeforeTimeouts(): void {
  Object.assign(Command.prototype, {
    setTimeout(this: Timed, ms: number): void {
      this._commandTimeoutTimer ??= afterReading(() => {
        if (!this.isSettled) this.reject(new Error('Command timed out'));
      }, ms);
    },
  });
  Object.assign(Redis.prototype, {
    setSocketTimeout(this: Silent): void {
      const { stream, options } = this;
      const ms = options.socketTimeout!;
      const timer = afterReading(() => {
        if (this.socketTimeoutTimer !== timer) return;
        stream.destroy(new Error(`Socket timeout. Expecting data, but didn't receive any in ${ms}ms.`));
        this.socketTimeoutTimer = undefined;
      }, ms);
      this.socketTimeoutTimer = timer;
      // After ioredis's own handler has taken the answers off the queue.
      stream.once('data', () => {
        clearTimeout(this.socketTimeoutTimer);
        this.socketTimeoutTimer = undefined;
        if (this.commandQueue.length > 0) this.setSocketTimeout();
      });
    },
  });
}
