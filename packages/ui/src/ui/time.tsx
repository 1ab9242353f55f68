import { ago, exact, moment, nextChange } from 'quarry-text/time';
import { useEffect, useState } from 'react';
import { serverNow } from '../lib/clock.ts';

/** Returns the present time of the server, and again when the words for `at` change. */
export function useNow(at: number): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setTimeout(() => setNow(serverNow()), nextChange(at, now));
    return () => clearTimeout(timer);
  }, [at, now]);
  return now;
}

/** Shows how long ago something was; the exact time is in its title. */
export function Ago({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  const now = useNow(time);
  return (
    <time dateTime={at} title={exact(time)}>
      {ago(time, now)}
    </time>
  );
}

/** Shows a time that may lie ahead. */
export function Moment({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  const now = useNow(time);
  return (
    <time dateTime={at} title={exact(time)}>
      {moment(time, now)}
    </time>
  );
}
