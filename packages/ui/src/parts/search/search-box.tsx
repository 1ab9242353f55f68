import { Search } from 'lucide-react';
import { Button } from '../../ui/button.tsx';

/** The box takes a question or words, and tells when they are sent. */
export function SearchBox({
  typed,
  isSearching,
  keyShortcut,
  onType,
  onAsk,
}: {
  readonly typed: string;
  readonly isSearching: boolean;
  /** This key puts the cursor into the box, where the keys of the dashboard work. */
  readonly keyShortcut?: string;
  readonly onType: (text: string) => void;
  readonly onAsk: (query: string) => void;
}) {
  return (
    <search>
      <form
        className="search-box"
        onSubmit={(event) => {
          event.preventDefault();
          onAsk(typed.trim());
        }}
      >
        <Search size={18} aria-hidden="true" />
        <input
          aria-keyshortcuts={keyShortcut}
          type="search"
          aria-label="Question or words"
          placeholder="Ask, or type words"
          dir="auto"
          value={typed}
          onChange={(event) => onType(event.target.value)}
        />
        <Button look="primary" type="submit" busy={isSearching && 'Searching …'}>
          Search
        </Button>
      </form>
    </search>
  );
}
