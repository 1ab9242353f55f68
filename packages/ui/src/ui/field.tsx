import { type ComponentProps, type ReactNode, useEffect, useId, useState } from 'react';

export interface FieldProps {
  readonly label: ReactNode;
  readonly help?: ReactNode;
  readonly fault?: string | undefined;
  /** The fault is looked for at each edit. Any other one goes away when the field is edited. */
  readonly isLive?: boolean;
  readonly isOptional?: boolean;
}

/** These properties tie an input to its label, its help and its fault. */
interface Ties {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** Shows an input with its label, its help and what is wrong with it. */
export function Field({
  label,
  help,
  fault: given,
  isLive = false,
  isOptional,
  children,
}: FieldProps & { readonly children: (ties: Ties) => ReactNode }) {
  const id = useId();
  const [isEdited, setEdited] = useState(false);
  useEffect(() => {
    if (!isEdited) return;
    // A form that is sent again may find the same fault.
    const show = () => setEdited(false);
    document.addEventListener('submit', show, { capture: true });
    return () => document.removeEventListener('submit', show, { capture: true });
  }, [isEdited]);
  const fault = isEdited ? undefined : given;
  const described = [help && `${id}-help`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div onInput={() => fault && !isLive && setEdited(true)}>
      <label className="label" htmlFor={id}>
        {label}
        {isOptional && <span>optional</span>}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': fault ? true : undefined,
      })}
      {help && (
        <p className="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = FieldProps &
  Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
    readonly value: string;
    readonly onValue: (value: string) => void;
  };

export function TextField({
  label,
  help,
  fault,
  isLive,
  isOptional,
  onValue,
  ...props
}: TextFieldProps) {
  return (
    <Field {...{ label, help, fault, isLive, isOptional }}>
      {(ties) => (
        <input
          className="input"
          type="text"
          dir="auto"
          {...props}
          {...ties}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

type SelectFieldProps = FieldProps & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly choices: readonly Choice[];
};

export function SelectField({ value, onValue, choices, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {(ties) => (
        <select
          className="input"
          value={value}
          {...ties}
          onChange={(event) => onValue(event.target.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Shows a few choices beside each other, of which one is chosen. */
export function Segments({
  label,
  value,
  onValue,
  choices,
}: {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly choices: readonly Choice[];
}) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="sr">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onValue(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
