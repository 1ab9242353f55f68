/** Sets the clock of a process and of its threads wrong by WRONG_CLOCK_MS. Times that only measure how long something takes stay right. */
const shift = Number(process.env.WRONG_CLOCK_MS);
const RightDate = Date;
globalThis.Date = class WrongDate extends RightDate {
  constructor(...args) {
    if (args.length === 0) super(RightDate.now() + shift);
    else super(...args);
  }

  static now() {
    return RightDate.now() + shift;
  }
};
