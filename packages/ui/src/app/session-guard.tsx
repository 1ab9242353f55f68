import { useCallback, useEffect, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { onSessionEnd } from '../lib/session-end.ts';
import { SignedOut } from './signed-out.tsx';

/** Asks for a new sign-in when the session has ended. */
export function SessionGuard({ user }: { readonly user: Schemas['Me']['user'] }) {
  const [isSignedOut, setSignedOut] = useState(false);
  const close = useCallback(() => setSignedOut(false), []);
  useEffect(() => onSessionEnd(() => setSignedOut(true)), []);
  return isSignedOut && <SignedOut user={user} onDone={close} />;
}
