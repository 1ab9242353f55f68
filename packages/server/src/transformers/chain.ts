/**
 * A chain holds the transformers of a connection in the order in which a job runs them. It also makes the part of a
 * recipe that names them: an entity has passed these transformers when its recipe names them in these versions and with
 * these configurations.
 */
import { sha256 } from '../model/hash.ts';
import { type Apply, createApply } from './apply.ts';
import type { TransformStep } from './step.ts';

export interface Chain {
  /** The signature covers the whole chain; it is '' when the chain has no transformer. */
  readonly signature: string;
  /**
   * Returns the part of the recipe for entities to which the source gives this type, or null when no transformer acts
   * on them.
   */
  readonly recipeOf: (type: string) => ChainRecipe | null;
  readonly apply: Apply;
  /** Frees the resources of the chain, such as the process of its functions. */
  close(): Promise<void>;
}

/** This is the part of a recipe that names transformers. It becomes the columns `chain` and `chain_version`. */
export interface ChainRecipe {
  /** This is a hash of the ids of the transformers, in their order. */
  readonly ids: string;
  /** This is a hash of the transformers with their versions and configurations, and of the type of the entities. */
  readonly digest: string;
}

export function createChain(
  steps: readonly TransformStep[],
  definitionOf: (type: string) => string,
  close: () => Promise<void>,
): Chain {
  const recipes = new Map<string, ChainRecipe | null>();
  return {
    signature: steps.length === 0 ? '' : digestOf(steps).slice(0, 32),
    recipeOf(type) {
      const known = recipes.get(type);
      if (known !== undefined) return known;
      const recipe = chainRecipeOf(type, transformersFor(steps, definitionOf(type)));
      recipes.set(type, recipe);
      return recipe;
    },
    apply: createApply(steps, definitionOf),
    close,
  };
}

/**
 * Returns the transformers that get an entity of this definition, or an entity that an earlier transformer has made
 * from it.
 */
function transformersFor(steps: readonly TransformStep[], definition: string): TransformStep[] {
  const definitions = new Set([definition]);
  return steps.filter((step) => {
    if (![...definitions].some(step.accepts)) return false;
    for (const one of step.outputDefinitions) definitions.add(one);
    return true;
  });
}

const digestOf = (steps: readonly TransformStep[]) =>
  sha256(steps.map(({ digest }) => digest).join(' '));

const chainRecipeOf = (type: string, steps: readonly TransformStep[]): ChainRecipe | null =>
  steps.length === 0
    ? null
    : {
        ids: sha256(steps.map(({ id }) => id).join(' ')).slice(0, 12),
        digest: sha256(`${digestOf(steps)} ${type}`).slice(0, 16),
      };
