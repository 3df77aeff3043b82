/** The keys of one log, and of how far it is carried; see lua/relay.lua and lua/lease.lua. */
export interface LogKeys {
  /** list, LPUSHed and never popped */
  log: string;
  /** string: how many entries, counted from the oldest, the queue has accepted */
  relayed: string;
  /** The rain or sale exists as long as this key does. */
  state: string;
  lease: string;
}

/** One log that the relay carries: the claims of a shard, or the reservations of a sale. */
export interface CarriedLog<Job> {
  /** The fields that name it in a line of our own log. */
  label: Readonly<Record<string, string | number>>;
  keys: LogKeys;
  toJob(from: number, entries: string[]): Job;
  /** Covers the content of the job. @param again distinguishes deliberate repetitions */
  jobId(job: Job, again?: string): string;
}
