import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import {
  type Condition,
  faultOfValue,
  fieldName,
  fieldOf,
  OPERATORS,
  operatorsOf,
  SYSTEM_FIELDS,
} from '../../lib/filter.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { contentsQuery } from './contents-query.ts';

interface AddConditionProps {
  readonly collection: string;
  readonly as: string | undefined;
  readonly onAdd: (condition: Condition) => void;
  readonly onClose: () => void;
}

/** Puts a condition on a field that the records of the collection have. */
export function AddCondition({ collection, as, onAdd, onClose }: AddConditionProps) {
  const list = useId();
  const { data } = useQuery(contentsQuery(collection, as));
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('');
  const [value, setValue] = useState('');
  const [isTried, setTried] = useState(false);
  const field = fieldOf(name.trim());
  const operators = operatorsOf(field);
  const operator = operators.find((one) => one === chosen) ?? operators[0] ?? 'is';
  const condition = { field, operator, value: value.trim() };
  const nameFault = name.trim() === '' ? 'Choose a field.' : undefined;
  const valueFault = faultOfValue(condition);
  function add(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (nameFault === undefined && valueFault === undefined) onAdd(condition);
  }
  return (
    <Dialog title="Add a filter" onClose={onClose}>
      <form className="stack" onSubmit={add} noValidate>
        <TextField
          label="Field"
          help={`${Object.values(SYSTEM_FIELDS).join(', ')}, or a field of the source.`}
          value={name}
          list={list}
          autoComplete="off"
          fault={isTried ? nameFault : undefined}
          isLive
          onValue={setName}
        />
        <datalist id={list}>
          {[...Object.keys(SYSTEM_FIELDS), ...(data?.metadata_fields ?? [])].map((key) => (
            <option key={key} value={fieldName(key)} />
          ))}
        </datalist>
        <SelectField
          label="Condition"
          value={operator}
          onValue={setChosen}
          choices={operators.map((one) => ({ value: one, label: OPERATORS[one] }))}
        />
        <TextField
          label="Value"
          value={value}
          autoComplete="off"
          fault={isTried ? valueFault : undefined}
          isLive
          onValue={setValue}
        />
        <div className="acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
