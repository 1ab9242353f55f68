/** Says in words what an agentic search does. */
import { counted } from './numbers.ts';

/** These are events of `POST /v1/collections/{readable_id}/agentic-search/stream`. */
export type SearchStep =
  | { readonly type: 'planning'; readonly reasoning: string; readonly strategy: string }
  | { readonly type: 'search'; readonly query: string; readonly results_found: number }
  | {
      readonly type: 'evaluation';
      /** It is between 0 and 1. */
      readonly quality_score: number;
      readonly needs_refinement: boolean;
    };

/** One line for each step. */
export function stepLine(step: SearchStep): string {
  switch (step.type) {
    case 'planning':
      return step.reasoning || step.strategy;
    case 'search':
      return `Searched “${step.query}”: ${counted(step.results_found, 'passage')}`;
    case 'evaluation': {
      const share = `${Math.round(step.quality_score * 100)} of 100`;
      return step.needs_refinement
        ? `The passages answer ${share}, so the search goes on`
        : `The passages answer ${share}`;
    }
  }
}
