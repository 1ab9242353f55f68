import { useQuery, useQueryClient, useQueryErrorResetBoundary } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { bodyOf, client, type Schemas } from '../api/client.ts';
import { beginAgain } from '../lib/begin-again.ts';
import { Refusal } from '../lib/refusal.ts';
import { IssuerLink, OwnInstallation, useSignInMethods } from '../pages/sign-in/other-ways.tsx';
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx';
import { Dialog } from '../ui/dialog.tsx';

interface SignedOutProps {
  readonly user: Schemas['Me']['user'];
  readonly onDone: () => void;
}

/** Takes a new sign-in over the page, so that what was typed there stays. Somebody else begins at the collections. */
export function SignedOut({ user, onDone }: SignedOutProps) {
  const queries = useQueryClient();
  const router = useRouter();
  const failedQueries = useQueryErrorResetBoundary();
  const { data: methods } = useSignInMethods();
  const [closed, setClosed] = useState(0);
  // Somebody comes back to this tab after a sign-in in another one.
  const {
    data: me,
    error,
    refetch,
  } = useQuery({
    queryKey: ['me', 'again'],
    queryFn: ({ signal }) => bodyOf(client.GET('/v1/auth/me', { signal })),
    refetchOnWindowFocus: 'always',
    gcTime: 0,
  });
  // The session is then of somebody whom the service does not know in this organization.
  const isRefused = error instanceof Refusal && [403, 404].includes(error.status);
  const isOther = isRefused || (me !== undefined && me.user.id !== user.id);
  const isSame = me !== undefined && !isOther;
  useEffect(() => {
    if (isOther) beginAgain();
    if (!isSame) return;
    onDone();
    // A page that was opened without a session could not be shown.
    failedQueries.reset();
    void queries.invalidateQueries();
    void router.invalidate();
  }, [isOther, isSame, onDone, queries, failedQueries, router]);
  const { pathname, search, hash } = window.location;
  return (
    // Escape closes every dialog of the browser, and this one then opens again: without a session nothing works.
    <Dialog key={closed} title="Your session has ended" onClose={() => setClosed(closed + 1)}>
      <div className="stack">
        <p className="soft">Sign in again to go on. What you have typed stays.</p>
        {methods?.issuer && <IssuerLink issuer={methods.issuer} isNewTab />}
        <SignInForm
          email={user.email}
          onDone={async () => {
            await refetch({ throwOnError: true });
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
