import { type FormEvent, useState } from 'react';
import type { SearchFilter } from '../../parts/search/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';

interface FilterTextProps {
  readonly filter: SearchFilter | undefined;
  readonly onFilter: (filter: SearchFilter | undefined) => void;
  readonly onClose: () => void;
}

/** Writes any filter of the API, which can join conditions by "or" and "not", too. */
export function FilterText({ filter, onFilter, onClose }: FilterTextProps) {
  const [text, setText] = useState(filter ? JSON.stringify(filter, null, 2) : '');
  const [fault, setFault] = useState<string>();
  function apply(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() === '') {
      onFilter(undefined);
      return;
    }
    try {
      const given: unknown = JSON.parse(text);
      if (typeof given === 'object' && given !== null && !Array.isArray(given))
        onFilter(given as SearchFilter);
      else setFault('A filter is an object, such as {"must": []}.');
    } catch (error) {
      setFault(`This is not JSON: ${error instanceof Error ? error.message : ''}.`);
    }
  }
  return (
    <Dialog title="The filter as JSON" onClose={onClose}>
      <form className="stack" onSubmit={apply}>
        <Field
          label="Filter"
          help={
            <>
              The filter of the API, with <code>must</code>, <code>should</code> and{' '}
              <code>must_not</code>. It takes the place of the conditions.
            </>
          }
          fault={fault}
        >
          {(ties) => (
            <textarea
              className="input code"
              rows={12}
              spellCheck={false}
              value={text}
              {...ties}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className="acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Use this filter
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
