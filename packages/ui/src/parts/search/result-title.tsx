import { Link } from '@tanstack/react-router';
import { isWebAddress } from './shown-result.ts';

interface ResultTitleProps {
  readonly name: string;
  readonly collection: string;
  /** The query of the address of the record. */
  readonly record: { readonly id: string; readonly at?: string | undefined; readonly q?: string };
  /** The address of the original at a source that is searched live; null where the record is stored, and has a page. */
  readonly original: string | null;
  readonly className: string;
}

/** Leads to the record. Nothing is stored of a source that is searched live, so there it leads to the original. */
export function ResultTitle({ name, collection, record, original, className }: ResultTitleProps) {
  const title = <bdi>{name}</bdi>;
  if (original === null)
    return (
      <Link
        to="/collections/$collection/record"
        params={{ collection }}
        search={record}
        className={className}
      >
        {title}
      </Link>
    );
  if (isWebAddress(original))
    return (
      <a href={original} target="_blank" rel="noreferrer" className={className}>
        {title}
      </a>
    );
  // A citation gives it the focus.
  return (
    <span tabIndex={-1} className={className}>
      {title}
    </span>
  );
}

/** Leads to the record at its source, where that has an address for it. */
export const OriginalLink = ({ url, name }: { readonly url: string; readonly name: string }) =>
  isWebAddress(url) && (
    <a className="link" href={url} target="_blank" rel="noreferrer">
      Open the original
      <span className="sr">
        {' '}
        of <bdi>{name}</bdi>
      </span>
    </a>
  );
