import { useQuery } from '@tanstack/react-query';
import { count } from 'quarry-text/numbers';
import { useState } from 'react';
import { useSourceNames } from '../../api/use-source-names.ts';
import { typeName } from '../../lib/words.ts';
import type { Asked } from '../../parts/search/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Card } from '../../ui/page.tsx';
import { contentsQuery } from './contents-query.ts';

interface FacetsProps {
  readonly asked: Asked;
  readonly onChange: (change: { type?: string[]; source?: string[] }) => void;
}

/** Takes the place of the types and sources where they would stand below all results. */
export function FacetsButton({ asked, onChange }: FacetsProps) {
  const [isOpen, setOpen] = useState(false);
  const hasChoice = useFacets(asked).some(({ choices }) => choices.length > 1);
  const chosen = asked.types.length + asked.sources.length;
  const close = () => setOpen(false);
  // A choice of the address must be there to be taken away.
  if (!hasChoice && chosen === 0) return null;
  return (
    <div className="instead">
      <Button size="sm" onClick={() => setOpen(true)}>
        Types and sources{chosen > 0 && ` (${chosen})`}
      </Button>
      {isOpen && (
        <Dialog title="Types and sources" onClose={close}>
          <Facets asked={asked} onChange={onChange} />
          <div className="acts">
            <Button look="primary" onClick={close}>
              Show the results
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** Narrows the search to types and sources that the collection has. */
export function Facets({ asked, onChange }: FacetsProps) {
  return useFacets(asked).map(
    ({ title, field, choices, chosen }) =>
      (choices.length > 1 || chosen.length > 0) && (
        <Choices
          key={field}
          {...{ title, choices, chosen }}
          onChosen={(next) => onChange({ [field]: next })}
        />
      ),
  );
}

function useFacets(asked: Asked) {
  const nameOf = useSourceNames();
  const { data } = useQuery(contentsQuery(asked.collection, asked.as));
  if (!data) return [];
  const types = data.entity_types.map(({ entity_type, count: records }) => ({
    value: entity_type,
    label: typeName(entity_type),
    records,
  }));
  const sources = data.source_names.map((value) => ({
    value,
    label: nameOf(value),
    records: recordsOf(data.source_connections.filter((one) => one.source_name === value)),
  }));
  return [
    {
      ...{ title: 'Type', field: 'type', chosen: asked.types },
      choices: withChosen(types, asked.types, typeName),
    },
    {
      ...{ title: 'Source', field: 'source', chosen: asked.sources },
      choices: withChosen(sources, asked.sources, nameOf),
    },
  ];
}

/** A choice can be taken away, also when the collection no longer has it. */
const withChosen = (
  choices: readonly Choice[],
  chosen: readonly string[],
  labelOf: (value: string) => string,
): Choice[] => [
  ...choices,
  ...chosen
    .filter((value) => !choices.some((one) => one.value === value))
    .map((value) => ({ value, label: labelOf(value) })),
];

/** The service does not count what a person may not see, and then nothing is counted here. */
const recordsOf = (connections: readonly { readonly records: number | null }[]): number | null =>
  connections.reduce<number | null>(
    (sum, { records }) => (sum === null || records === null ? null : sum + records),
    0,
  );

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly records?: number | null;
}

interface ChoicesProps {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: string[] | undefined) => void;
}

const Choices = ({ title, choices, chosen, onChosen }: ChoicesProps) => (
  <Card title={title}>
    <fieldset className="pad tight">
      <legend className="sr">{title}</legend>
      {choices.map(({ value, label, records }) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) => {
              const next = chosen.filter((one) => one !== value);
              if (event.target.checked) next.push(value);
              onChosen(next.length > 0 ? next : undefined);
            }}
          />
          <span className="grow">{label}</span>
          {typeof records === 'number' && <span className="muted">{count(records)}</span>}
        </label>
      ))}
    </fieldset>
  </Card>
);
