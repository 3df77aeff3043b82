/** How long one slice of a broadcast may take, ms: a grab waits at most this long for it. */
export const SLICE_MS = 5;
/** Sockets written to between two readings of the clock: about a tenth of a millisecond's work. */
export const SOCKETS_PER_CLOCK_READ = 16;
/** Cost of one write to a socket, ms, and the share of the time that purely informational messages may use. */
export const SEND_MS = 0.015;
export const INFORMATIONAL_SHARE = 1 / 20;
/** Minimum pause between informational messages (the winners' ticker, the number of packets left), ms. */
export const INFORMATIONAL_REST_MS_MIN = 1_000;
