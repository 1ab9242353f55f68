/** The frame of a page that wants one thing done, and offers no other way than the one to the dashboard. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { meQuery } from '../api/queries.ts';
import { Logo } from '../ui/logo.tsx';
import { AwayBar } from './away-bar.tsx';
import { SessionGuard } from './session-guard.tsx';

export function Bare() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="bare-top">
        <span className="brand">
          <Logo /> Quarry
        </span>
        <Link to="/collections" className="link end">
          Go to the dashboard
        </Link>
      </header>
      <AwayBar />
      <main className="page bare" id="main" tabIndex={-1}>
        <Outlet />
      </main>
      <SessionGuard user={me.user} />
    </>
  );
}
