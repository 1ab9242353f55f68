import { count } from 'quarry-text/numbers';
import { type ReactNode, useEffect } from 'react';
import type { Pages } from '../lib/pages.ts';
import { Button } from './button.tsx';
import { PartFault, Skeletons } from './part.tsx';
import type { VirtualPart } from './use-virtual-rows.ts';
import { Waiting } from './waiting.tsx';

interface PagedProps<Item> {
  readonly pages: Pages<Item>;
  /** Names the list in a sentence, such as "The jobs". */
  readonly what: string;
  /** It stands there when the list has nothing. */
  readonly empty: ReactNode;
  readonly children: () => ReactNode;
}

/** Shows a list that is read page by page: what it has, that it has nothing, or what went wrong. */
export function Paged<Item>({ pages, what, empty, children }: PagedProps<Item>) {
  if (pages.items.length > 0) return children();
  if (pages.error) return <PartFault what={what} error={pages.error} retry={pages.retry} />;
  if (!pages.isPending) return empty;
  return (
    <>
      <Waiting what={what} {...pages} />
      <Skeletons rows={5} />
    </>
  );
}

/** Rows before the end of what is read, at which the next page is asked for. */
const AHEAD = 20;

/** Reads more as soon as somebody has scrolled near the end of what is read. */
export function useReadAhead<Item>(pages: Pages<Item>, parts: readonly VirtualPart[]): void {
  const { items, hasMore, isReadingMore, readMore, error } = pages;
  const last = parts.findLast((part) => 'index' in part);
  const isNear = last !== undefined && 'index' in last && last.index >= items.length - AHEAD;
  // A short list is in the page as a whole, so it is near its end before anybody has scrolled.
  const isLong = parts.length < items.length;
  const wants = isNear && isLong && hasMore && !isReadingMore && !error;
  useEffect(() => {
    if (wants) readMore();
  }, [wants, readMore]);
}

/** The way to the rest by keyboard, and the number of all. */
export function MoreButton<Item>({ pages }: { readonly pages: Pages<Item> }) {
  const { items, total, hasMore, isReadingMore, readMore, error, retry } = pages;
  if (error) return <PartFault what="The rest" error={error} retry={retry} />;
  if (!hasMore) return null;
  return (
    <>
      {isReadingMore && <Waiting what="The rest" {...pages} />}
      <p className="pad row wrap">
        <Button busy={isReadingMore && 'Loading …'} onClick={readMore}>
          Show more
        </Button>
        <span className="muted small">
          {count(items.length)} {total === null ? 'so far' : `of ${count(total)}`}
        </span>
      </p>
    </>
  );
}
