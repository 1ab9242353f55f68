import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf, Refusal } from '../lib/refusal.ts';
import { Banner } from './banner.tsx';
import { Button } from './button.tsx';
import { CopyButton } from './code.tsx';
import { Waiting } from './waiting.tsx';

/**
 * Shows the data of a query: a skeleton while it loads, and what went wrong, for this part of the page alone. What was
 * read before stays below a later fault.
 */
export function Part<Data>({
  query,
  what,
  rows = 3,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  /** Names the part in a sentence, such as "The jobs". */
  readonly what: string;
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch, failureCount, failureReason } = query;
  const isSignedOut = error instanceof Refusal && error.status === 401;
  const fault = error && <PartFault {...{ what, error }} retry={() => void refetch()} />;
  if (data !== undefined)
    return (
      <>
        {!isSignedOut && fault}
        {children(data)}
      </>
    );
  if (fault) return fault;
  return (
    <>
      <Waiting {...{ what, failureCount, failureReason }} />
      <Skeletons rows={rows} />
    </>
  );
}

/** Says that a part of the page could not be loaded. */
export const PartFault = ({
  what,
  error,
  retry,
}: {
  readonly what: string;
  readonly error: unknown;
  readonly retry: () => void;
}) => (
  <Banner
    tone="bad"
    title={`${what} could not be loaded`}
    actions={<Button onClick={retry}>Try again</Button>}
  >
    {messageOf(error)} <RequestId error={error} />
  </Banner>
);

/** An operator finds the request in the log by its id. */
export function RequestId({ error }: { readonly error: unknown }) {
  if (!(error instanceof Refusal) || error.status < 500 || error.requestId === '') return null;
  return (
    <span className="nowrap">
      Request <code>{error.requestId}</code>
      <CopyButton text={error.requestId} label="Copy the id of the request" />
    </span>
  );
}

export function Skeletons({ rows }: { readonly rows: number }) {
  return (
    <ul className="skeletons" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same.
        <li key={i}>
          <span className="skeleton" />
        </li>
      ))}
    </ul>
  );
}
