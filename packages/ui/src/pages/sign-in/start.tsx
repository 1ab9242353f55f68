import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { messageOf } from '../../lib/refusal.ts';
import { Banner } from '../../ui/banner.tsx';
import { Alone } from './alone.tsx';
import { useFirstEnter } from './enter.ts';
import { useToken } from './token.ts';

/** Signs the owner in with the link that the start of the service has printed. */
export function Page() {
  const enter = useFirstEnter();
  const { to } = useSearch({ from: '/start' });
  const token = useToken();
  const [fault, setFault] = useState<string | null>(null);
  // The token works once, and React calls effects twice while one develops.
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    bodyOf(client.POST('/v1/auth/start', { body: { token } })).then(
      () => enter(to),
      (error) => setFault(messageOf(error)),
    );
  }, [token, to, enter]);
  if (fault === null) return <Alone title="Signing you in …">{null}</Alone>;
  return (
    <Alone title="You are not signed in">
      <Banner tone="bad" title="This link cannot be used">
        {fault}
      </Banner>
      <a href="/sign-in" className="link">
        Sign in by password
      </a>
    </Alone>
  );
}
