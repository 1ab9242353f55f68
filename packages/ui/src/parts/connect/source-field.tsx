import { useEffect, useId, useRef, useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { Field, SelectField } from '../../ui/field.tsx';

type SourceField = Schemas['SourceField'];

interface FieldOptions {
  readonly ask: () => Promise<readonly Schemas['FieldOption'][]>;
  /** The credentials and settings with which the source is asked. Choices that were listed with others are not shown. */
  readonly askedWith: string;
  /** This is what is chosen in other fields that have choices. The choices stay when it changes, and can be asked for again. */
  readonly beside: string;
}

interface SourceFieldProps {
  readonly field: SourceField;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly fault: string | undefined;
  /** Lists the values that the source knows; without it the field is typed. */
  readonly options?: FieldOptions | undefined;
  /** The values are asked for at once, and not first when somebody wants to see them. */
  readonly showsOptions?: boolean;
}

/** An input for one field of the catalog. */
export function SourceFieldInput({
  field,
  value,
  onValue,
  fault,
  options,
  showsOptions = false,
}: SourceFieldProps) {
  const { title, description, type, required, secret, file } = field;
  const common = { label: title, help: description, fault, isOptional: !required };
  if (type === 'boolean')
    return (
      <SelectField
        {...common}
        value={value}
        onValue={onValue}
        choices={[
          { value: '', label: 'Use the default' },
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
              placeholder={type === 'array' ? 'One per line' : undefined}
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
      {options && <Options {...{ field, value, onValue, options, showsOptions }} />}
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

interface KnownOptions extends Omit<FieldOptions, 'ask'> {
  readonly known: readonly Schemas['FieldOption'][];
}

/** Offers the values that the source knows, once it is asked. */
function Options({
  field,
  value,
  onValue,
  options,
  showsOptions,
}: Required<Pick<SourceFieldProps, 'field' | 'value' | 'onValue' | 'showsOptions'>> & {
  readonly options: FieldOptions;
}) {
  const { askedWith, beside } = options;
  const [answer, setAnswer] = useState<KnownOptions | null>(null);
  const ask = useSubmit(async () => setAnswer({ askedWith, beside, known: await options.ask() }));
  const isAsked = useRef(false);
  useEffect(() => {
    if (!showsOptions || isAsked.current) return;
    isAsked.current = true;
    ask.submit();
  }, [showsOptions, ask]);
  const isList = field.type === 'array';
  const name = useId();
  const chosen = new Set(value.split('\n'));
  const known = answer?.askedWith === askedWith ? answer.known : null;
  const asking = (text: string) => (
    <div>
      <Button size="sm" busy={ask.isBusy && 'Asking …'} onClick={() => ask.submit()}>
        {text}
      </Button>
      {ask.summary() && <p className="fault">{ask.summary()}</p>}
    </div>
  );
  if (known === null) return asking('Show the choices');
  const again = answer?.beside !== beside && asking('Ask again');
  if (known.length === 0)
    return (
      <div>
        <p className="help">The source has none.</p>
        {again}
      </div>
    );
  function choose(one: string, isChosen: boolean): void {
    const next = new Set(isList ? value.split('\n').filter(Boolean) : []);
    if (isChosen) next.add(one);
    else next.delete(one);
    onValue([...next].join('\n'));
  }
  return (
    <fieldset className="tight options">
      <legend className="sr">{field.title}: the choices</legend>
      {known.map((one) => (
        <label key={one.value} className="check">
          <input
            type={isList ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.has(one.value)}
            onChange={(event) => choose(one.value, event.target.checked)}
          />
          <span>
            <bdi>{one.title}</bdi>
            {one.value !== one.title && isPath(one.value) && (
              <>
                {' '}
                <code className="muted">{one.value}</code>
              </>
            )}
            {one.description && <span className="muted"> {one.description}</span>}
          </span>
        </label>
      ))}
      {again}
    </fieldset>
  );
}

/** A path says more than the name of its folder; other values are ids that say nothing to people. */
const isPath = (value: string): boolean => value.startsWith('/');

/** Asks the source for the values of a field, with what the form has so far. */
export const askOptions =
  (short_name: string, body: Schemas['OptionsInput']) =>
  (): Promise<readonly Schemas['FieldOption'][]> =>
    bodyOf(
      client.POST('/v1/sources/{short_name}/options', { params: { path: { short_name } }, body }),
    );
