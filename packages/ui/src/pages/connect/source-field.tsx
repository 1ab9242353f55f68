import { useId, useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { Field, SelectField } from '../../ui/field.tsx';

type SourceField = Schemas['SourceField'];

interface SourceFieldProps {
  readonly field: SourceField;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly fault: string | undefined;
  /** Lists the values that the source knows; without it the field is typed. */
  readonly options?: (() => Promise<readonly Schemas['FieldOption'][]>) | undefined;
}

/** An input for one field of the catalog. */
export function SourceFieldInput({ field, value, onValue, fault, options }: SourceFieldProps) {
  const { title, description, type, required, secret, file } = field;
  const common = { label: title, help: description, fault, isOptional: !required };
  if (type === 'boolean')
    return (
      <SelectField
        {...common}
        value={value}
        onValue={onValue}
        choices={[
          { value: '', label: 'As usual' },
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
      />
    );
  const isLong = type === 'array' || type === 'object' || file;
  return (
    <div className="tight">
      <Field {...common}>
        {(ties) =>
          isLong ? (
            <textarea
              {...ties}
              className="input"
              rows={file ? 5 : 3}
              dir="auto"
              spellCheck={false}
              placeholder={type === 'array' ? 'One a line' : undefined}
              value={value}
              onChange={(event) => onValue(event.target.value)}
            />
          ) : (
            <input
              {...ties}
              className="input"
              type={secret ? 'password' : 'text'}
              inputMode={type === 'number' ? 'numeric' : undefined}
              autoComplete="off"
              spellCheck={false}
              dir="auto"
              value={value}
              onChange={(event) => onValue(event.target.value)}
            />
          )
        }
      </Field>
      {file && <FileChooser onText={onValue} />}
      {options && <Options {...{ field, value, onValue, options }} />}
    </div>
  );
}

/** Reads a file, such as a JSON key, into the field. */
function FileChooser({ onText }: { readonly onText: (text: string) => void }) {
  const id = useId();
  return (
    <p className="small">
      <label htmlFor={id}>Or choose the file: </label>
      <input
        id={id}
        type="file"
        onChange={(event) => void event.target.files?.[0]?.text().then(onText)}
      />
    </p>
  );
}

/** Offers the values that the source knows, once it is asked. */
function Options({
  field,
  value,
  onValue,
  options,
}: Required<Pick<SourceFieldProps, 'field' | 'value' | 'onValue'>> & {
  readonly options: () => Promise<readonly Schemas['FieldOption'][]>;
}) {
  const [known, setKnown] = useState<readonly Schemas['FieldOption'][] | null>(null);
  const ask = useSubmit(async () => setKnown(await options()));
  const isList = field.type === 'array';
  const chosen = new Set(value.split('\n'));
  if (known === null)
    return (
      <div>
        <Button size="sm" busy={ask.isBusy && 'Asking …'} onClick={() => ask.submit()}>
          Show what there is
        </Button>
        {ask.summary() && <p className="fault">{ask.summary()}</p>}
      </div>
    );
  if (known.length === 0) return <p className="help">The source has none.</p>;
  function choose(one: string, isChosen: boolean): void {
    const next = new Set(isList ? value.split('\n').filter(Boolean) : []);
    if (isChosen) next.add(one);
    else next.delete(one);
    onValue([...next].join('\n'));
  }
  return (
    <fieldset className="tight options">
      <legend className="sr">{field.title}: what there is</legend>
      {known.map((one) => (
        <label key={one.value} className="check">
          <input
            type={isList ? 'checkbox' : 'radio'}
            checked={chosen.has(one.value)}
            onChange={(event) => choose(one.value, event.target.checked)}
          />
          <span>
            <bdi>{one.title}</bdi>
            {one.description && <span className="muted"> {one.description}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Asks the source for the values of a field, with what the form has so far. */
export const askOptions =
  (short_name: string, body: Schemas['OptionsInput']) =>
  (): Promise<readonly Schemas['FieldOption'][]> =>
    bodyOf(
      client.POST('/v1/sources/{short_name}/options', { params: { path: { short_name } }, body }),
    );
