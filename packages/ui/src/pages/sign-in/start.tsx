import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { messageOf, Refusal } from '../../lib/refusal.ts';
import { Banner } from '../../ui/banner.tsx';
import { Code } from '../../ui/code.tsx';
import { Alone } from './alone.tsx';
import { useFirstEnter } from './enter.ts';
import { useToken } from './token.ts';

/** Signs the owner in with the link that the start of the service has printed. */
export function Page() {
  const enter = useFirstEnter();
  const { to } = useSearch({ from: '/start' });
  const token = useToken();
  const [fault, setFault] = useState<unknown>(null);
  // The token works once, and React calls effects twice while one develops.
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    bodyOf(client.POST('/v1/auth/start', { body: { token } })).then(
      () => enter(to),
      async (error: unknown) => ((await isSignedIn()) ? enter(to) : setFault(error)),
    );
  }, [token, to, enter]);
  if (fault === null) return <Alone title="Signing you in …">{null}</Alone>;
  const isSpent = fault instanceof Refusal && fault.status === 401;
  return (
    <Alone title="You are not signed in">
      <Banner tone="bad" title="This link cannot be used">
        {isSpent ? 'It has been used or replaced, or is too old.' : messageOf(fault)}
      </Banner>
      {isSpent && (
        <div className="tight">
          <p className="soft">This command makes another link on the machine that runs Quarry:</p>
          <Code text="quarry sign-in-link" label="the command" wraps />
        </div>
      )}
      <p>
        <a href="/sign-in" className="link">
          Sign in by password
        </a>
      </p>
    </Alone>
  );
}

/** Somebody may open a link again whose session is still open. */
async function isSignedIn(): Promise<boolean> {
  try {
    await bodyOf(client.GET('/v1/auth/me'));
    return true;
  } catch (error) {
    // The session may be open where only the organization that the browser has kept is gone.
    return error instanceof Refusal && [403, 404].includes(error.status);
  }
}
