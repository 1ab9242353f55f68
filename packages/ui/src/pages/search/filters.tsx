import '../../styles/filters.css';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { type Condition, fieldName, OPERATORS } from '../../lib/filter.ts';
import { type Asked, filterOf, type SearchFilter } from '../../parts/search/use-answer.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { AddCondition } from './add-condition.tsx';
import { FilterText } from './filter-text.tsx';

interface FilterChange {
  readonly f?: readonly Condition[] | undefined;
  readonly filter?: SearchFilter | undefined;
}

interface FiltersProps {
  readonly asked: Pick<Asked, 'collection' | 'as' | 'conditions' | 'filter'>;
  /** The filter in the address cannot be read. */
  readonly isBroken: boolean;
  readonly onChange: (change: FilterChange) => void;
}

/** The conditions on the records, each of which can be taken away, and the ways to add more. */
export function Filters({ asked, isBroken, onChange }: FiltersProps) {
  const [open, setOpen] = useState<'add' | 'text' | null>(null);
  const { conditions, filter } = asked;
  const set = (next: readonly Condition[]) => onChange({ f: next.length > 0 ? next : undefined });
  const close = () => setOpen(null);
  if (isBroken)
    return (
      <Banner
        tone="bad"
        title="The filter in the address cannot be read"
        actions={
          <Button onClick={() => onChange({ f: undefined, filter: undefined })}>
            Search without it
          </Button>
        }
      >
        Nothing was searched, because more would be found than the filter allows.
      </Banner>
    );
  return (
    <div className="conditions">
      {(conditions.length > 0 || filter) && (
        <ul aria-label="Filter">
          {conditions.map((one) => {
            const words = `${fieldName(one.field)} ${OPERATORS[one.operator]} ${one.value}`;
            return (
              <Chip
                key={`${one.field} ${one.operator} ${one.value}`}
                words={words}
                onRemove={() => set(conditions.filter((other) => other !== one))}
              />
            );
          })}
          {filter && (
            <Chip words="a filter in JSON" onRemove={() => onChange({ filter: undefined })} />
          )}
        </ul>
      )}
      {!filter && (
        <Button size="sm" look="ghost" onClick={() => setOpen('add')}>
          <Plus size={14} aria-hidden="true" /> Add a filter
        </Button>
      )}
      <Button size="sm" look="ghost" onClick={() => setOpen('text')}>
        Edit as JSON
      </Button>
      {open === 'add' && (
        <AddCondition
          collection={asked.collection}
          as={asked.as}
          onAdd={(one) => {
            set([...conditions.filter((other) => !isSame(one, other)), one]);
            close();
          }}
          onClose={close}
        />
      )}
      {open === 'text' && (
        <FilterText
          filter={filter ?? filterOf({ ...asked, types: [], sources: [] })}
          onFilter={(next) => {
            onChange({ f: undefined, filter: next });
            close();
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

const isSame = (a: Condition, b: Condition): boolean =>
  a.field === b.field && a.operator === b.operator && a.value === b.value;

const Chip = ({ words, onRemove }: { readonly words: string; readonly onRemove: () => void }) => (
  <li className="tag accent">
    <bdi className="cut">{words}</bdi>
    <button type="button" aria-label={`Take away: ${words}`} onClick={onRemove}>
      <X size={13} aria-hidden="true" />
    </button>
  </li>
);
