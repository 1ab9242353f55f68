import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { definitionsQuery } from '../../api/transformers.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import { findByName } from '../../lib/find-by-name.ts';
import { typeName } from '../../lib/words.ts';
import { Part } from '../../ui/part.tsx';

interface DefinitionsFieldProps {
  readonly label: string;
  readonly help?: string;
  readonly ids: readonly string[];
  readonly fault: string | undefined;
  readonly onIds: (ids: string[]) => void;
}

/** Chooses types of records. The chosen ones come first, and the others are found by their names. */
export function DefinitionsField({ label, help, ids, fault, onIds }: DefinitionsFieldProps) {
  const list = useId();
  const nameOf = useSourceNames();
  const definitions = useQuery(definitionsQuery);
  const [typed, setTyped] = useState('');
  const [first] = useState(() => new Set(ids));
  return (
    <fieldset>
      <legend className="label">{label}</legend>
      {help && <p className="help">{help}</p>}
      <input
        className="input"
        type="search"
        aria-label={`Find a type: ${label}`}
        placeholder="Find a type, such as Push or Issue"
        aria-controls={list}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault && `${list}-fault`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Part query={definitions} what="The types" rows={2}>
        {({ items }) => {
          const named = items
            .map(({ id, name, source_short_name }) => ({
              id,
              name: typeName(name),
              source: nameOf(source_short_name),
              also: `${name} ${nameOf(source_short_name)}`,
            }))
            .toSorted((a, b) => Number(first.has(b.id)) - Number(first.has(a.id)));
          return (
            <div className="definitions" id={list}>
              {findByName(named, typed, named.length).map(({ id, name, source }) => (
                <label key={id} className="check">
                  <input
                    type="checkbox"
                    checked={ids.includes(id)}
                    onChange={({ target }) =>
                      onIds([...ids.filter((one) => one !== id), ...(target.checked ? [id] : [])])
                    }
                  />
                  <span className="grow">{name}</span>
                  <span className="muted">{source}</span>
                </label>
              ))}
            </div>
          );
        }}
      </Part>
      {fault && (
        <p className="fault" id={`${list}-fault`}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}
