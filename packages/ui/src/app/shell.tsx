/** The frame of all pages for somebody who has signed in: where one can go, who one is, and whether Quarry answers. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { Suspense } from 'react';
import { meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { chooseOrganization } from '../lib/organization.ts';
import { Logo } from '../ui/logo.tsx';
import { Skeletons } from '../ui/part.tsx';
import { AwayBar } from './away-bar.tsx';
import { Drawer } from './drawer.tsx';
import { Find } from './find/find.tsx';
import { Navigation } from './navigation.tsx';
import { RunningSyncs } from './running-syncs.tsx';
import { SessionGuard } from './session-guard.tsx';
import { ThemeButton } from './theme-button.tsx';

export function Shell() {
  const router = useRouter();
  const { data: me } = useSuspenseQuery(meQuery);

  async function change(id: string): Promise<void> {
    chooseOrganization(id);
    queryClient.clear();
    await router.navigate({ to: '/collections' });
    await router.invalidate();
  }
  const name = me.user.name ?? me.user.email;
  const side = (
    <>
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
      <div className="side-foot">
        <Link to="/account" className="row grow" title="Your account">
          <span className="avatar" aria-hidden="true">
            {name.slice(0, 2).toUpperCase()}
          </span>
          <bdi className="cut">{name}</bdi>
        </Link>
        <ThemeButton />
      </div>
    </>
  );
  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <aside className="side" aria-label="Navigation">
        {side}
      </aside>
      <div>
        <header className="top">
          <Drawer>{side}</Drawer>
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
      <SessionGuard user={me.user} />
    </div>
  );
}
