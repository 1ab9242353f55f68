/**
 * Lets the tests that edit real servers at random play for longer: TEST_SOAK_MINUTES makes each of them play for so many
 * minutes, and TEST_SEED draws other edits.
 */
import { type Random, random } from '../random/random.ts';

const MINUTES = Number(process.env.TEST_SOAK_MINUTES ?? 0);

export const isSoak = MINUTES > 0;
/** Returns the random numbers of the seed. Each test file calls this function once. */
export const soakRandom = (): Random => random(Number(process.env.TEST_SEED ?? 1));

/** Plays so many rounds, or more until the time is over. Returns how many rounds it has played. */
export async function playRounds(least: number, playRound: () => Promise<void>): Promise<number> {
  const end = performance.now() + MINUTES * 60_000;
  let rounds = 0;
  for (; rounds < least || performance.now() < end; rounds++) await playRound();
  return rounds;
}
