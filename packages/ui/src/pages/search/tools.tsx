import { useTyped } from '../../lib/use-typed.ts';
import { Segments } from '../../ui/field.tsx';

export const STRATEGIES = [
  { value: 'hybrid', label: 'Words and meaning' },
  { value: 'keyword', label: 'Words' },
  { value: 'neural', label: 'Meaning' },
] as const;
export const MODES = [
  { value: 'once', label: 'Search' },
  { value: 'steps', label: 'Agentic search' },
] as const;
/** These are the values of the API, and what they mean. */
export const RECENCIES: Readonly<Record<string, string>> = {
  '0': 'Age does not count',
  '0.1': 'Newer first: a little',
  '0.3': 'Newer first: clearly',
  '0.6': 'Newer first: strongly',
};

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
      {Object.entries(RECENCIES).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
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
  const [typed, setTyped] = useTyped(value);
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
        placeholder="Search as (e-mail address)"
        title="The e-mail address of a person: you then find what this person may see"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => onValue(typed.trim() || undefined)}
      />
    </form>
  );
}
