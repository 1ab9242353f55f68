import { Link } from '@tanstack/react-router';
import {
  Activity,
  Bot,
  KeyRound,
  Layers,
  type LucideIcon,
  MonitorCog,
  ScrollText,
  Search,
  Shuffle,
  SlidersHorizontal,
  Users,
  Webhook,
} from 'lucide-react';
import { isAtLeast, type Role } from '../lib/role.ts';

interface Entry {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

const PAGES: readonly Entry[] = [
  { to: '/search', label: 'Search', icon: Search },
  { to: '/collections', label: 'Collections', icon: Layers },
  { to: '/jobs', label: 'Jobs', icon: Activity },
];
const USES: readonly Entry[] = [
  { to: '/assistants', label: 'Assistants', icon: Bot },
  { to: '/transformers', label: 'Transformers', icon: Shuffle },
];
/** Members and admins may open these pages. */
const MEMBER_USES: readonly Entry[] = [{ to: '/webhooks', label: 'Webhooks', icon: Webhook }];
/** Only an admin may open these pages. */
const ADMIN: readonly Entry[] = [
  { to: '/keys', label: 'API keys', icon: KeyRound },
  { to: '/members', label: 'Members', icon: Users },
  { to: '/audit', label: 'Audit log', icon: ScrollText },
  { to: '/settings', label: 'Settings', icon: SlidersHorizontal },
  { to: '/system', label: 'System', icon: MonitorCog },
];

/** Returns all pages that the role may open. */
export const pagesFor = (role: Role): readonly Entry[] => [
  ...PAGES,
  ...usesFor(role),
  ...(role === 'admin' ? ADMIN : []),
];

const usesFor = (role: Role): readonly Entry[] =>
  isAtLeast(role, 'member') ? [...USES, ...MEMBER_USES] : USES;

export function Navigation({ role }: { readonly role: Role }) {
  return (
    <nav className="nav" aria-label="Pages">
      <Entries entries={PAGES} />
      <h2>Use it</h2>
      <Entries entries={usesFor(role)} />
      {role === 'admin' && (
        <>
          <h2>Organization</h2>
          <Entries entries={ADMIN} />
        </>
      )}
    </nav>
  );
}

const Entries = ({ entries }: { readonly entries: readonly Entry[] }) => (
  <ul>
    {entries.map(({ to, label, icon: Icon }) => (
      <li key={to}>
        <Link to={to} activeOptions={{ includeSearch: false }}>
          <Icon size={16} aria-hidden="true" />
          {label}
        </Link>
      </li>
    ))}
  </ul>
);
