import { useState } from 'react';
import { Segments } from '../../ui/field.tsx';

export const STRATEGIES = [
  { value: 'hybrid', label: 'Words and meaning' },
  { value: 'keyword', label: 'Words' },
  { value: 'neural', label: 'Meaning' },
] as const;
export const MODES = [
  { value: 'once', label: 'Search' },
  { value: 'steps', label: 'In steps' },
] as const;
export const RECENCIES = ['0', '0.1', '0.3', '0.6'];

/** Chooses what must match, and whether newer records come first. */
export const Ranking = ({
  strategy,
  recency,
  onChange,
}: {
  readonly strategy: string;
  readonly recency: number;
  readonly onChange: (change: { by?: string | undefined; recency?: string | undefined }) => void;
}) => (
  <>
    <Segments
      label="What must match"
      value={strategy}
      onValue={(by) => onChange({ by: by === 'hybrid' ? undefined : by })}
      choices={STRATEGIES}
    />
    <select
      className="input"
      aria-label="Newer records first"
      value={String(recency)}
      onChange={({ target }) =>
        onChange({ recency: target.value === '0' ? undefined : target.value })
      }
    >
      {RECENCIES.map((one) => (
        <option key={one} value={one}>
          {one === '0' ? 'Recency off' : `Recency ${Number(one) * 100} %`}
        </option>
      ))}
    </select>
  </>
);

/** An admin sees what another person would find. */
export function SearchAs({
  value = '',
  onValue,
}: {
  readonly value: string | undefined;
  readonly onValue: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value);
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        onValue(typed.trim() || undefined);
      }}
    >
      <input
        className="input"
        aria-label="Search as another person (e-mail address)"
        placeholder="As everybody"
        title="The e-mail address of a person: you then find what this person may see"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => onValue(typed.trim() || undefined)}
      />
    </form>
  );
}
