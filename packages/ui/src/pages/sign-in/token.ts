import { useEffect, useState } from 'react';

const KEY = 'quarry.invitation';

/**
 * Returns the token after `#token=` in the address, and takes it out of the address, so that neither the history of the
 * browser nor a picture of the window shows it. Servers never get the part of an address after #.
 */
export function useToken(): string {
  const [token] = useState(
    () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '',
  );
  useEffect(() => {
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, '', pathname + search);
  }, []);
  return token;
}

/** The tab keeps the token of an invitation, so that the page can be loaded again until somebody has joined. */
export function useInvitationToken() {
  const given = useToken();
  const [token] = useState(() => given || (sessionStorage.getItem(KEY) ?? ''));
  useEffect(() => {
    if (token !== '') sessionStorage.setItem(KEY, token);
  }, [token]);
  return { token, forget: () => sessionStorage.removeItem(KEY) };
}
