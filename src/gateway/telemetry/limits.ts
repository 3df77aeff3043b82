/** How often a gateway reports itself to the console, ms. */
export const HEARTBEAT_EVERY_MS = 1_000;
/** Time limit for removing that report at shutdown, ms: a closing gateway has other work. */
export const HEARTBEAT_REMOVAL_MS_MAX = 250;
