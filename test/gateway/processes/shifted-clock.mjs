// Preload: shifts the wall clock of a process by CLOCK_SHIFT_MS. Timers and the monotonic clock are not shifted.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};
