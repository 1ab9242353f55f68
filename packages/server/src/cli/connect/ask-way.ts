/** Asks how a person wants to sign in. */
import type { Terminal } from './terminal.ts';
import { type SignInWay, WAY_TITLES } from './ways.ts';

/** The first of the ways is the answer to Enter alone. The other answers are a number or the name of a way. */
export async function askWay(terminal: Terminal, ways: readonly SignInWay[]): Promise<SignInWay> {
  const lines = ways.map((way, i) => `  ${i + 1}  ${WAY_TITLES[way]} (${way})`);
  terminal.say('', 'How do you sign in?', ...lines);
  for (;;) {
    const answer = await terminal.ask('Number', '1');
    const chosen = ways.find((way, i) => answer === way || answer === String(i + 1));
    if (chosen !== undefined) return chosen;
    terminal.say(`'${answer}' is not one of them: give a number from 1 to ${ways.length}.`);
  }
}
