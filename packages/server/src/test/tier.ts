/** The simulators take all of their seeds in `npm run test:full`, and a tenth of them in `npm test`. */
export const seedsOf = (full: number): number =>
  process.env.TEST_FULL ? full : Math.ceil(full / 10);
