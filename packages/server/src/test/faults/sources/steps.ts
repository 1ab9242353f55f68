/**
 * Derives the history of a company and of its connection from a seed. Each step can be taken at any place in the list,
 * so that the list can be shortened.
 */
import { type Random, random } from '../../random/random.ts';

/** The company changes in this way (CloudCompany). */
export type Change =
  | 'edit'
  | 'add'
  | 'remove'
  | 'shuffle'
  | 'forgetCursors'
  | 'removeMany'
  | 'removePart';

export type Step =
  | { readonly do: 'change'; readonly change: Change }
  | { readonly do: 'wait'; readonly ms: number }
  /** In the end, the service refuses to list one part. */
  | { readonly do: 'forbid' }
  | { readonly do: 'sync'; readonly full: boolean; readonly trouble: Trouble };

/** Says what goes wrong in one sync. The numbers of requests are counted from 0 in each sync. */
export interface Trouble {
  readonly seed: number;
  /** This share of the requests fails. */
  readonly share: number;
  readonly faults: readonly FaultKind[];
  /** These things happen before the request with the number is answered. */
  readonly events: readonly { readonly at: number; readonly what: Change | Blow }[];
}

/** 'kill' gives the job to another worker, and 'cancel' cancels it. 'refuse' ends the credentials for the rest of the sync. */
export type Blow = 'kill' | 'cancel' | 'refuse' | 'slow';

/** 'park' makes the job wait for an hour, and 'pause' only the request. trouble.ts has the answers. */
export type FaultKind = 'park' | 'pause' | 'broken' | 'cut' | 'close' | 'again' | 'unauthorized';

const FAULTS: readonly FaultKind[] = [
  'park',
  'pause',
  'broken',
  'cut',
  'close',
  'again',
  'unauthorized',
];
const BLOWS: readonly Blow[] = ['kill', 'kill', 'kill', 'cancel', 'refuse', 'slow'];
const RARE: readonly Change[] = ['removeMany', 'removePart', 'forgetCursors'];
const OFTEN: readonly Change[] = ['edit', 'edit', 'add', 'remove', 'shuffle'];
/** After a day, a continuous connection would be synced by itself. */
const WAITS_MS = [1000, 61_000, 3_700_000];

export function stepsOf(seed: number): Step[] {
  const chance = random(seed);
  const steps: Step[] = [someSync(chance, true)];
  for (let i = 1 + chance.below(3); i > 0; i--) {
    for (let n = chance.below(4); n > 0; n--)
      steps.push({ do: 'change', change: someChange(chance) });
    if (chance.next() < 0.3) steps.push({ do: 'wait', ms: chance.pick(WAITS_MS) });
    steps.push(someSync(chance, chance.next() < 0.35));
  }
  for (let n = chance.below(3); n > 0; n--)
    steps.push({ do: 'change', change: someChange(chance) });
  if (chance.next() < 0.2) steps.push({ do: 'forbid' });
  return steps;
}

const someChange = (chance: Random): Change => chance.pick(chance.next() < 0.2 ? RARE : OFTEN);

function someSync(chance: Random, full: boolean): Step {
  const isCalm = chance.next() < 0.2;
  const reach = chance.pick([6, 20, 60]);
  return {
    do: 'sync',
    full,
    trouble: {
      seed: chance.below(2 ** 31),
      share: isCalm ? 0 : chance.pick([0, 0.02, 0.1, 0.3]),
      faults: chance.next() < 0.5 ? FAULTS : [chance.pick(FAULTS), chance.pick(FAULTS)],
      events: Array.from({ length: isCalm ? 0 : chance.below(4) }, () => ({
        at: chance.below(reach),
        what: chance.next() < 0.5 ? chance.pick(BLOWS) : someChange(chance),
      })),
    },
  };
}
