/**
 * Derives the actions of a simulation from its seed. Each action can be performed at any place in the list, so that the
 * list can be shortened.
 */
import { type Random, random } from '../random/random.ts';
import { PARTS } from './company.ts';
import type { Takeover } from './process.ts';

/**
 * These are the actions; play.ts performs them. `connection` may be any number: its remainder, when divided by the number
 * of connections made so far, is the position of the connection. `steps` counts the steps of the simulated process.
 *
 * Some actions change the source: `happen` changes records, `shrink` removes many, `trouble` disturbs the next pulls,
 * `expire` changes the password, and `forget` makes old cursors invalid. `renew` gives the connection the new password.
 * Others disturb the process: `kill`, `drain` (it stops in order), `late` (it sleeps until another process has its work),
 * `full disk` and `clock` (the clock jumps).
 */
export type Action = { readonly seed: number } & (
  | { readonly do: 'connect'; readonly source: 'feed' | 'shelf' | 'push'; readonly size: number }
  | { readonly do: 'happen'; readonly connection: number; readonly times: number }
  | { readonly do: 'shrink'; readonly connection: number; readonly share: number }
  | { readonly do: 'trouble'; readonly connection: number; readonly pulls: number }
  | { readonly do: 'run'; readonly connection: number; readonly force: boolean }
  | { readonly do: 'push'; readonly connection: number }
  | { readonly do: 'cancel'; readonly connection: number }
  | { readonly do: 'confirm'; readonly connection: number }
  | { readonly do: 'configure'; readonly connection: number; readonly part: string }
  | { readonly do: 'expire'; readonly connection: number }
  | { readonly do: 'forget'; readonly connection: number }
  | { readonly do: 'renew'; readonly connection: number }
  | { readonly do: 'handlers'; readonly vectors: boolean; readonly metadata: boolean }
  | { readonly do: 'delete connection'; readonly connection: number }
  | { readonly do: 'delete collection' }
  | { readonly do: 'reindex' }
  | { readonly do: 'steps'; readonly steps: number }
  | { readonly do: 'settle' }
  | { readonly do: 'search' }
  | { readonly do: 'kill'; readonly steps: number; readonly takeover: Takeover }
  | { readonly do: 'drain'; readonly steps: number }
  | { readonly do: 'late'; readonly steps: number; readonly sleeps: number }
  | { readonly do: 'full disk'; readonly steps: number; readonly statements: number }
  | { readonly do: 'clock'; readonly ms: number }
);

type What = Action extends infer One ? (One extends Action ? Omit<One, 'seed'> : never) : never;

const SOURCES = ['feed', 'feed', 'shelf', 'push'] as const;
const PULLED = ['feed', 'feed', 'shelf', 'shelf'] as const;
const HOUR = 3_600_000;

export function actionsOf(seed: number): Action[] {
  const chance = random(seed);
  const actions: Action[] = [];
  const add = (what: What) => actions.push({ ...what, seed: chance.below(2 ** 31) } as Action);
  const isLarge = chance.next() < 0.04;
  for (let i = 1 + chance.below(2); i > 0; i--)
    add({
      do: 'connect',
      source: chance.pick(isLarge ? PULLED : SOURCES),
      size: isLarge ? 70 + chance.below(50) : chance.below(18),
    });
  const times = isLarge ? 2 + chance.below(4) : 3 + chance.below(8);
  for (let i = 0; i < times; i++) for (const what of some(chance, isLarge)) add(what);
  return actions;
}

function some(chance: Random, isLarge: boolean): What[] {
  const connection = chance.below(4);
  const again: What[] = chance.next() < 0.3 ? [{ do: 'push', connection }] : [];
  const steps = () => 1 + chance.below(chance.next() < 0.5 ? 25 : 90);
  const happen: What = { do: 'happen', connection, times: 1 + chance.below(4) };
  const run: What = { do: 'run', connection, force: chance.next() < 0.35 };
  const work: What = chance.next() < 0.5 ? { do: 'push', connection } : run;
  const trouble: What = { do: 'trouble', connection, pulls: 1 + chance.below(2) };
  const maybe = chance.next() < 0.5 ? [trouble] : [];
  const takeover = chance.pick(['start', 'thread', 'expiry'] as const);
  const what = chance.next();
  if (isLarge && what < 0.5)
    return [
      { do: 'settle' },
      { do: 'shrink', connection, share: 0.4 + chance.next() * 0.6 },
      { do: 'run', connection, force: true },
      { do: 'settle' },
    ];
  if (what < 0.12) return [happen, run, { do: 'settle' }];
  if (what < 0.2)
    return [
      { do: 'settle' },
      trouble,
      happen,
      { do: 'shrink', connection, share: chance.next() < 0.5 ? 0.3 : 0 },
      { do: 'run', connection, force: chance.next() < 0.7 },
      { do: 'settle' },
    ];
  if (what < 0.38) return [happen, work, ...again, { do: 'kill', steps: steps(), takeover }];
  if (what < 0.44) return [trouble, work, { do: 'kill', steps: steps(), takeover }];
  if (what < 0.52)
    return [
      ...maybe,
      happen,
      run,
      { do: 'late', steps: steps(), sleeps: chance.below(60) },
      happen,
    ];
  if (what < 0.56) return [work, { do: 'drain', steps: steps() }];
  if (what < 0.6)
    return [work, { do: 'full disk', steps: steps(), statements: 1 + chance.below(3) }];
  if (what < 0.65)
    return [...maybe, work, { do: 'steps', steps: steps() }, { do: 'cancel', connection }];
  if (what < 0.7)
    return [
      run,
      { do: 'steps', steps: chance.below(40) },
      { do: 'configure', connection, part: chance.pick(['all', ...PARTS.slice(1)]) },
      run,
    ];
  if (what < 0.73) return [{ do: 'expire', connection }, run, { do: 'settle' }];
  if (what < 0.76) return [{ do: 'renew', connection }, run];
  if (what < 0.78)
    return [...maybe, run, { do: 'steps', steps: steps() }, happen, { do: 'forget', connection }];
  if (what < 0.8)
    return [
      { do: 'handlers', vectors: chance.next() < 0.6, metadata: chance.next() < 0.7 },
      { ...run, force: true } as What,
    ];
  if (what < 0.83)
    return [run, { do: 'steps', steps: steps() }, { do: 'delete connection', connection }];
  if (what < 0.84) return [run, { do: 'steps', steps: steps() }, { do: 'delete collection' }];
  if (what < 0.88) return [{ do: 'connect', source: 'feed', size: chance.below(10) }];
  if (what < 0.91) return [{ do: 'clock', ms: Math.floor((chance.next() - 0.3) * 3 * HOUR) }];
  if (what < 0.94) return [{ do: 'confirm', connection }];
  if (what < 0.96) return [{ do: 'reindex' }, { do: 'steps', steps: steps() }, { do: 'search' }];
  if (what < 0.98) return [happen, work, { do: 'steps', steps: steps() }, { do: 'search' }];
  return [{ do: 'settle' }, happen, { ...run, force: true } as What, { do: 'search' }];
}
