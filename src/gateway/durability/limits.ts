/** Connections for WAIT, which blocks its connection; four that take turns cost hardly anything. */
export const WAITING_CONNECTIONS = 4;
/**
 * A win is remembered for at least one and at most two of these periods, ms: longer than it takes to put a lost Redis
 * back.
 */
export const GENERATION_MS = 900_000;
/** Wins that are remembered [R10]. */
export const RECENT_WINS_MAX = 100_000;
/**
 * Grabs wait for the check of recent wins no longer than this, ms. After it the ledger decides about packets that are
 * won twice.
 */
export const LOOKING_MS_MAX = 3_000;
/** Told wins are put back after this time, ms, though moves of packets have not been ended: while grabs still wait. */
export const FIRST_MS_MAX = LOOKING_MS_MAX / 2;
/** Without a lost connection grabs wait for a check at most once in this time, ms. */
export const DOUBT_PAUSE_MS = 30_000;
/** How often a Cluster is asked for the master of slots that have none, ms. */
export const LEARN_MS = 100;
/** Pause before a failed check is repeated, ms. */
export const CHECK_RETRY_MS = 1_000;
/** The same while users of a replaced master wait for it, ms. */
export const MASTER_RETRY_MS = 100;
/** Lost wins that are listed by name in the log; the others are only counted. */
export const LOST_WINS_LOGGED_MAX = 50;
/** Forged packets are reported once in this time, ms: a list may be full of them. */
export const FORGED_LOG_MS = 1_000;
/** That a rain is signed with another key is reported once in this time, ms: every grab meets it. */
export const OTHER_KEY_LOG_MS = 60_000;
/** How often a gateway that waits for the comparison of the stores asks for it, ms. */
export const GATE_POLL_MS = 200;
/** A told win or reservation is looked for in Redis once more, between one and two of these periods later, ms. */
export const SECOND_LOOK_MS = 1_000;
/** Settled rains that are remembered [R10]. */
export const SETTLED_RAINS_MAX = 1_000;
