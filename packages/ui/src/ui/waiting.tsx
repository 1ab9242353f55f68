import { duration } from 'quarry-text/time';
import { useEffect, useState } from 'react';
import { messageOf } from '../lib/refusal.ts';
import { retryWait } from '../lib/retry.ts';
import { Banner } from './banner.tsx';

interface WaitingProps {
  /** Names what is waited for in a sentence, such as "The jobs". */
  readonly what: string;
  /** It counts the tries that have failed in a row. */
  readonly failureCount: number;
  readonly failureReason: unknown;
}

/** The next try comes so soon that nobody needs to know. */
const SHORT_MS = 1500;

/** Says why something is still not there while the service is asked again. Shows nothing before a try has failed. */
export function Waiting({ what, failureCount, failureReason }: WaitingProps) {
  if (failureCount === 0 || failureReason === null) return null;
  const waitMs = retryWait(failureCount - 1, failureReason);
  if (waitMs < SHORT_MS) return null;
  return (
    <Banner tone="warn" title={`${what} cannot be loaded yet`}>
      <span role="status">{messageOf(failureReason)}</span>{' '}
      <Countdown key={failureCount} waitMs={waitMs} />
    </Banner>
  );
}

function Countdown({ waitMs }: { readonly waitMs: number }) {
  const [end] = useState(() => Date.now() + waitMs);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil((end - now) / 1000);
  if (seconds <= 0) return <span>Trying again …</span>;
  const wait = seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
  return <span>Trying again in {wait}.</span>;
}
