import { useEffect, useState } from 'react';
import { onSessionEnd } from '../lib/session-end.ts';
import { SignedOut } from './signed-out.tsx';

/** Asks for a new sign-in when the session has ended. */
export function SessionGuard({ email }: { readonly email: string }) {
  const [isSignedOut, setSignedOut] = useState(false);
  useEffect(() => onSessionEnd(() => setSignedOut(true)), []);
  return isSignedOut && <SignedOut email={email} onDone={() => setSignedOut(false)} />;
}
