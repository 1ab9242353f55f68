import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { bodyOf, client } from '../api/client.ts';
import { IssuerLink, OwnInstallation, useSignInMethods } from '../pages/sign-in/other-ways.tsx';
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx';
import { Dialog } from '../ui/dialog.tsx';

interface SignedOutProps {
  readonly email: string;
  readonly onDone: () => void;
}

/** Takes a new sign-in over the page, so that what was typed there stays. */
export function SignedOut({ email, onDone }: SignedOutProps) {
  const queries = useQueryClient();
  const { data: methods } = useSignInMethods();
  const [closed, setClosed] = useState(0);
  // Somebody comes back to this tab after a sign-in in another one.
  const { isSuccess } = useQuery({
    queryKey: ['me', 'again'],
    queryFn: ({ signal }) => bodyOf(client.GET('/v1/auth/me', { signal })),
    refetchOnWindowFocus: 'always',
    gcTime: 0,
  });
  useEffect(() => {
    if (!isSuccess) return;
    onDone();
    void queries.invalidateQueries();
  }, [isSuccess, onDone, queries]);
  const { pathname, search, hash } = window.location;
  return (
    // Escape closes every dialog of the browser, and this one then opens again: without a session nothing works.
    <Dialog key={closed} title="Your session has ended" onClose={() => setClosed(closed + 1)}>
      <div className="stack">
        <p className="soft">Sign in again to go on. What you have typed stays.</p>
        {methods?.issuer && <IssuerLink issuer={methods.issuer} isNewTab />}
        <SignInForm
          email={email}
          onDone={async () => {
            onDone();
            await queries.invalidateQueries();
          }}
        />
        <OwnInstallation />
        <p className="small">
          <a
            href={`/sign-in?${new URLSearchParams({ to: pathname + search + hash })}`}
            className="link"
          >
            Leave this page
          </a>
        </p>
      </div>
    </Dialog>
  );
}
