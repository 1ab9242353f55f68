import { SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Asked } from '../../parts/search/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Segments } from '../../ui/field.tsx';
import { FacetsButton } from './facets.tsx';
import { Filters } from './filters.tsx';
import { MODES, Ranking, SearchAs } from './tools.tsx';
import type { AskedByAddress } from './use-asked.ts';

type Given = AskedByAddress['given'];

interface OptionsProps {
  readonly read: AskedByAddress;
  readonly isAsked: boolean;
  /** It matters only in a narrow window, where the options are folded at first. */
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChange: (change: Partial<Given>) => void;
  /** The choice of the collection, which is never folded. */
  readonly children: ReactNode;
}

const TOOLS = 'search-options';
const FILTERS = 'search-filters';

/** How to search, and what to find. In a narrow window it is one row, so that results are on the first screen. */
export function Options({ read, isAsked, isOpen, onOpen, onChange, children }: OptionsProps) {
  const { given, asked, isBroken, isAdmin } = read;
  const inSteps = given.mode === 'steps';
  const chosen = chosenIn(asked, inSteps);
  return (
    <>
      <div className="search-tools">
        {children}
        <Button
          size="sm"
          className="fold"
          aria-expanded={isOpen}
          aria-controls={`${TOOLS} ${FILTERS}`}
          onClick={() => onOpen(!isOpen)}
        >
          <SlidersHorizontal size={14} aria-hidden="true" /> Options{chosen > 0 && ` (${chosen})`}
        </Button>
        <div className="search-options" id={TOOLS} data-open={isOpen}>
          <Segments
            label="How to search"
            value={inSteps ? 'steps' : 'once'}
            onValue={(mode) =>
              onChange({ mode: mode === 'steps' ? mode : undefined, why: undefined })
            }
            choices={MODES}
          />
          {!inSteps && (
            <Ranking strategy={asked.strategy} recency={asked.recency} onChange={onChange} />
          )}
          {isAdmin && <SearchAs value={given.as} onValue={(as) => onChange({ as })} />}
        </div>
      </div>
      <div className="search-options stack" id={FILTERS} data-open={isOpen || isBroken}>
        <Filters asked={asked} isBroken={isBroken} onChange={onChange} />
        {isAsked && <FacetsButton asked={asked} onChange={onChange} />}
      </div>
    </>
  );
}

/** Counts the options that are not as they are at first. */
function chosenIn(asked: Asked, inSteps: boolean): number {
  const { strategy, recency, types, sources, conditions, filter, as } = asked;
  const others = [inSteps, !inSteps && strategy !== 'hybrid', !inSteps && recency > 0, filter, as];
  return (
    types.length + sources.length + conditions.length + others.filter((one) => Boolean(one)).length
  );
}
