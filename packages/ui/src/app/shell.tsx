/** The frame of all pages for somebody who has signed in: where one can go, who one is, and whether Quarry answers. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { chooseOrganization } from '../lib/organization.ts';
import { Logo } from '../ui/logo.tsx';
import { Skeletons } from '../ui/part.tsx';
import { AwayBar } from './away-bar.tsx';
import { Find } from './find/find.tsx';
import { Navigation } from './navigation.tsx';
import { RunningSyncs } from './running-syncs.tsx';
import { SessionGuard } from './session-guard.tsx';
import { ThemeButton } from './theme-button.tsx';

export function Shell() {
  const router = useRouter();
  const { data: me } = useSuspenseQuery(meQuery);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => router.subscribe('onResolved', () => setOpen(false)), [router]);

  async function change(id: string): Promise<void> {
    chooseOrganization(id);
    queryClient.clear();
    await router.navigate({ to: '/collections' });
    await router.invalidate();
  }
  const name = me.user.name ?? me.user.email;
  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <aside className={isOpen ? 'side open' : 'side'} id="side" aria-label="Navigation">
        <div className="side-head">
          <Logo />
          {me.organizations.length > 1 ? (
            <select
              aria-label="Organization"
              value={me.organization.id}
              onChange={(event) => void change(event.target.value)}
            >
              {me.organizations.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          ) : (
            <bdi className="cut">{me.organization.name}</bdi>
          )}
        </div>
        <Navigation role={me.role} />
        <footer>
          <Link to="/account" className="row grow" title="Your account">
            <span className="avatar" aria-hidden="true">
              {name.slice(0, 2).toUpperCase()}
            </span>
            <bdi className="cut">{name}</bdi>
          </Link>
          <ThemeButton />
        </footer>
      </aside>
      <div>
        <header className="top">
          <button
            type="button"
            className="btn ghost icon menu"
            aria-label="Menu"
            aria-expanded={isOpen}
            aria-controls="side"
            onClick={() => setOpen(!isOpen)}
          >
            <MenuIcon size={18} aria-hidden="true" />
          </button>
          <Find role={me.role} />
          <RunningSyncs />
          <a href="/docs" className="muted end">
            API reference
          </a>
        </header>
        <AwayBar />
        <main className="page" id="main" tabIndex={-1}>
          <Suspense fallback={<Skeletons rows={6} />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <SessionGuard email={me.user.email} />
    </div>
  );
}
