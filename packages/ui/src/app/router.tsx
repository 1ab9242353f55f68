/** The addresses of the dashboard. Each page is loaded when it is opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { useOrganization } from '../lib/organization.ts';
import { pageFile } from '../lib/page-file.ts';
import { lists, texts, values } from '../lib/search-params.ts';
import { Bare } from './bare.tsx';
import { Missing } from './missing.tsx';
import { PageFault } from './page-fault.tsx';
import { PagePending } from './page-pending.tsx';
import { Shell } from './shell.tsx';
import { requireSignedIn } from './signed-in.ts';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <main className="page">
      <Missing />
    </main>
  ),
});

type LoadPage = () => Promise<{ Page: () => React.ReactNode }>;
const lazyPage = (load: LoadPage) => lazyRouteComponent(pageFile(load), 'Page');

const alone = <Path extends string>(path: Path, load: LoadPage) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyPage(load),
    validateSearch: texts('to', 'refused'),
  });

const start = alone('/start', () => import('../pages/sign-in/start.tsx'));
const signIn = alone('/sign-in', () => import('../pages/sign-in/sign-in.tsx'));
const accept = alone('/accept', () => import('../pages/sign-in/accept.tsx'));

/** Nothing that is shown or typed in one organization stays for the next. */
const ShellOfOrganization = () => <Shell key={useOrganization()} />;

/** These stand alone until it is known who has signed in. */
const framed = {
  pendingComponent: () => (
    <main className="page">
      <PagePending />
    </main>
  ),
  errorComponent: ({ error }: ErrorComponentProps) => (
    <main className="page">
      <PageFault error={error} />
    </main>
  ),
  beforeLoad: requireSignedIn,
};

/** Everything below needs somebody who has signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: ShellOfOrganization,
  notFoundComponent: Missing,
  ...framed,
});

const bare = createRoute({
  getParentRoute: () => root,
  id: 'bare',
  component: Bare,
  ...framed,
});
const welcome = createRoute({
  getParentRoute: () => bare,
  path: '/welcome',
  validateSearch: texts('c', 'kind', 'source', 'q', 'step'),
  component: lazyPage(() => import('../pages/welcome/welcome.tsx')),
});

const page = <Path extends string>(path: Path, load: LoadPage) =>
  createRoute({ getParentRoute: () => shell, path, component: lazyPage(load) });

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/collections' });
  },
});
const search = createRoute({
  getParentRoute: () => shell,
  path: '/search',
  validateSearch: (given) => ({
    ...texts('c', 'q', 'mode', 'by', 'recency', 'as', 'why', 'limit')(given),
    ...lists('type', 'source')(given),
    ...values('f', 'filter')(given),
  }),
  component: lazyPage(() => import('../pages/search/search.tsx')),
});
const contents = createRoute({
  getParentRoute: () => shell,
  path: '/collections/$collection/contents',
  validateSearch: texts('type', 'source', 'name', 'in', 'below'),
  component: lazyPage(() => import('../pages/collection/contents.tsx')),
});
const record = createRoute({
  getParentRoute: () => shell,
  path: '/collections/$collection/record',
  validateSearch: texts('id', 'at', 'q'),
  component: lazyPage(() => import('../pages/collection/record.tsx')),
});
const jobs = createRoute({
  getParentRoute: () => shell,
  path: '/jobs',
  validateSearch: texts('state', 'c'),
  component: lazyPage(() => import('../pages/jobs.tsx')),
});
const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  validateSearch: texts('event'),
  component: lazyPage(() => import('../pages/webhooks/webhooks.tsx')),
});
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: texts('actor'),
  component: lazyPage(() => import('../pages/audit.tsx')),
});
const connection = createRoute({
  getParentRoute: () => shell,
  path: '/collections/$collection/connections/$connection',
  validateSearch: texts('job', 'days'),
  component: lazyPage(() => import('../pages/connection/connection.tsx')),
});
const assistants = createRoute({
  getParentRoute: () => shell,
  path: '/assistants',
  validateSearch: texts('c'),
  component: lazyPage(() => import('../pages/assistants/assistants.tsx')),
});
const connect = createRoute({
  getParentRoute: () => shell,
  path: '/collections/$collection/connect',
  validateSearch: texts('find', 'label'),
  component: lazyPage(() => import('../pages/connect/catalog.tsx')),
});

const routes = root.addChildren([
  start,
  signIn,
  accept,
  bare.addChildren([welcome]),
  shell.addChildren([
    home,
    search,
    page('/collections', () => import('../pages/collections.tsx')),
    page('/collections/$collection', () => import('../pages/collection/overview.tsx')),
    contents,
    record,
    page('/collections/$collection/settings', () => import('../pages/collection/settings.tsx')),
    connect,
    page('/collections/$collection/connect/$source', () => import('../pages/connect/connect.tsx')),
    connection,
    jobs,
    audit,
    assistants,
    webhooks,
    page('/webhooks/new', () => import('../pages/webhooks/new.tsx')),
    page('/webhooks/$id', () => import('../pages/webhooks/webhook.tsx')),
    page('/transformers', () => import('../pages/transformers/transformers.tsx')),
    page('/transformers/new', () => import('../pages/transformers/new.tsx')),
    page('/transformers/$id', () => import('../pages/transformers/transformer.tsx')),
    page('/keys', () => import('../pages/keys.tsx')),
    page('/members', () => import('../pages/members/members.tsx')),
    page('/settings', () => import('../pages/settings/settings.tsx')),
    page('/system', () => import('../pages/system/system.tsx')),
    page('/account', () => import('../pages/account.tsx')),
  ]),
]);

export const router = createRouter({
  routeTree: routes,
  defaultErrorComponent: PageFault,
  defaultPendingComponent: PagePending,
  defaultPreload: 'intent',
  // A text that was typed for one thing must not reach the next one that has the same page.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
