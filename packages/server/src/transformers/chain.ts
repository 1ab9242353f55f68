/**
 * A chain holds the transformers of a connection as a job runs them, and says what they mean for recipes: an entity
 * has passed them if its recipe names them, in these versions and with these configurations.
 */
import { sha256 } from '../model/hash.ts';
import { type Apply, createApply } from './apply.ts';
import type { TransformStep } from './step.ts';

export interface Chain {
  /** The signature covers the whole chain; it is '' when the chain has no transformer. */
  readonly signature: string;
  /**
   * Returns the part that concerns entities to which the source gives this type, or null
   * when no transformer concerns them.
   */
  readonly via: (type: string) => Via | null;
  readonly apply: Apply;
  /** Frees what the chain holds, such as the process of its functions. */
  close(): Promise<void>;
}

/** A via is the part of a recipe that names transformers. */
export interface Via {
  /** The hash covers the ids of the transformers, in their order. */
  readonly ids: string;
  /** The hash covers the transformers with their versions and configurations; it differs from type to type. */
  readonly digest: string;
}

export function createChain(
  steps: readonly TransformStep[],
  definitionOf: (type: string) => string,
  close: () => Promise<void>,
): Chain {
  const vias = new Map<string, Via | null>();
  return {
    signature: steps.length === 0 ? '' : digestOf(steps).slice(0, 32),
    via(type) {
      const known = vias.get(type);
      if (known !== undefined) return known;
      const via = viaOf(type, concerning(steps, definitionOf(type)));
      vias.set(type, via);
      return via;
    },
    apply: createApply(steps, definitionOf),
    close,
  };
}

/** Returns the transformers that get an entity of this definition, or an entity that others have made from it. */
function concerning(steps: readonly TransformStep[], definition: string): TransformStep[] {
  const met = new Set([definition]);
  return steps.filter((step) => {
    if (![...met].some(step.takes)) return false;
    for (const one of step.given) met.add(one);
    return true;
  });
}

const digestOf = (steps: readonly TransformStep[]) =>
  sha256(steps.map(({ digest }) => digest).join(' '));

const viaOf = (type: string, steps: readonly TransformStep[]): Via | null =>
  steps.length === 0
    ? null
    : {
        ids: sha256(steps.map(({ id }) => id).join(' ')).slice(0, 12),
        digest: sha256(`${digestOf(steps)} ${type}`).slice(0, 16),
      };
