import { Link } from '@tanstack/react-router';
import { Empty } from './page.tsx';

interface EmptyListProps {
  /** Filters of the address leave nothing of the list. */
  readonly isFiltered: boolean;
  readonly filtered: string;
  readonly nothing: string;
  /** This link shows the list without filters. */
  readonly all: { readonly label: string; readonly to: string };
}

/** Says why a list shows nothing, and leads to all of it when filters are the reason. */
export const EmptyList = ({ isFiltered, filtered, nothing, all }: EmptyListProps) => (
  <Empty
    action={
      isFiltered && (
        <Link to={all.to} search={{}} className="link">
          {all.label}
        </Link>
      )
    }
  >
    {isFiltered ? filtered : nothing}
  </Empty>
);
