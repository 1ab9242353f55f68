import { useId } from 'react';
import { keyOf, linesOf, type Setting, type SettingTexts } from '../lib/settings.ts';
import { Field, TextField } from './field.tsx';

interface SettingsFieldsProps {
  readonly settings: readonly Setting[];
  readonly typed: SettingTexts;
  readonly faults: Readonly<Record<string, string>>;
  readonly onTyped: (typed: SettingTexts) => void;
}

/** The fields of a configuration. */
export const SettingsFields = ({ settings, typed, faults, onTyped }: SettingsFieldsProps) =>
  settings.map((setting) => {
    const key = keyOf(setting);
    return (
      <SettingField
        key={key}
        setting={setting}
        text={typed[key] ?? ''}
        fault={faults[key]}
        onText={(text) => onTyped({ ...typed, [key]: text })}
      />
    );
  });

interface SettingFieldProps {
  readonly setting: Setting;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}

function SettingField({ setting, text, fault, onText }: SettingFieldProps) {
  const { name, kind, help, isRequired } = setting;
  const field = { label: name ?? 'Settings', fault, isOptional: !isRequired };
  switch (kind) {
    case 'choices':
      return <Choices {...{ setting, text, fault, onText }} />;
    case 'flag':
      return <Flag {...{ setting, text, fault, onText }} />;
    case 'lines':
    case 'json':
      return (
        <Field
          {...field}
          help={[help, kind === 'json' ? 'JSON.' : 'One per line.'].filter(Boolean).join(' ')}
        >
          {(ties) => (
            <textarea
              className={kind === 'json' ? 'input code' : 'input'}
              rows={4}
              dir="auto"
              spellCheck={kind === 'json' ? false : undefined}
              value={text}
              {...ties}
              onChange={(event) => onText(event.target.value)}
            />
          )}
        </Field>
      );
    default:
      return (
        <TextField
          {...field}
          help={help}
          inputMode={kind === 'number' ? 'decimal' : undefined}
          value={text}
          onValue={onText}
        />
      );
  }
}

function Flag({ setting: { name, help }, text, fault, onText }: SettingFieldProps) {
  const id = useId();
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          checked={text === 'true'}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault && id}
          onChange={({ target }) => onText(String(target.checked))}
        />
        <span>
          {name} {help && <span className="muted">{help}</span>}
        </span>
      </label>
      {fault && (
        <p className="fault" id={id}>
          {fault}
        </p>
      )}
    </div>
  );
}

function Choices({ setting, text, fault, onText }: SettingFieldProps) {
  const chosen = linesOf(text);
  const id = useId();
  return (
    <fieldset>
      <legend className="label">{setting.name}</legend>
      {setting.help && <p className="help">{setting.help}</p>}
      {setting.choices.map((choice) => (
        <label key={choice} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            aria-invalid={fault ? true : undefined}
            aria-describedby={fault && id}
            onChange={({ target }) => {
              const others = chosen.filter((one) => one !== choice);
              onText([...others, ...(target.checked ? [choice] : [])].join('\n'));
            }}
          />
          <span>{choice}</span>
        </label>
      ))}
      {fault && (
        <p className="fault" id={id}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}
