import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams, useRouter, useSearch } from '@tanstack/react-router';
import { Command } from 'cmdk';
import type { LucideIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { collectionsQuery, namedConnectionsQuery, sourcesQuery } from '../../api/queries.ts';
import { findByName, type Named } from '../../lib/find-by-name.ts';
import { isAtLeast, type Role } from '../../lib/role.ts';
import { useModal } from '../../ui/use-modal.ts';
import { pagesFor } from '../navigation.tsx';

interface PaletteProps {
  readonly role: Role;
  readonly onHelp: () => void;
  readonly onClose: () => void;
}

interface Found extends Named {
  readonly key: string;
  readonly icon?: LucideIcon;
  /** The collection in which the thing is. */
  readonly within?: string | undefined;
  /** This address is opened, unless there is something to do instead. */
  readonly to?: string;
  readonly act?: () => void;
}

interface Group {
  readonly heading: string;
  readonly found: readonly Found[];
}

/** A group shows this many when nothing is typed, and when something is. */
const MOST = { idle: 5, typed: 8 } as const;
/** The best of so many connections are shown. */
const MOST_NAMED = 50;
/** The service takes no longer search. */
const LONGEST_SEARCH = 200;

/** Finds pages, collections, connections and sources to connect by what one types. */
export function Palette({ role, onHelp, onClose }: PaletteProps) {
  const router = useRouter();
  const dialog = useModal();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [moved, setMoved] = useState('');
  const searchIn = (collection: string, words: string) =>
    void router.navigate({ to: '/search', search: { c: collection, q: words } });
  const { groups, isNothingNamed } = useGroups(role, typed, { onHelp, searchIn });
  // The chosen one may no longer be found; then the first one is chosen.
  const keys = groups.flatMap(({ found }) => found.map(({ key }) => key));
  const chosen = keys.includes(moved) ? moved : (keys[0] ?? '');
  // The browser would give the focus to the list around the input.
  useEffect(() => input.current?.focus(), []);
  function choose({ to, act }: Found): void {
    onClose();
    act?.();
    if (to !== undefined) void router.navigate({ href: to });
  }
  return (
    <dialog ref={dialog} className="palette" aria-label="Find anything" onClose={onClose}>
      <Command
        label="Find anything"
        loop
        vimBindings={false}
        shouldFilter={false}
        value={chosen}
        onValueChange={setMoved}
      >
        <Command.Input
          ref={input}
          value={typed}
          onValueChange={(text) => {
            setTyped(text);
            setMoved('');
          }}
          placeholder="A page, a collection, a connection, a source"
        />
        {isNothingNamed && (
          <p className="none" role="status">
            Nothing has this name.
          </p>
        )}
        <Command.List>
          {groups.map(({ heading, found }) => (
            <Command.Group key={heading} heading={heading}>
              {found.map((one) => (
                <Command.Item key={one.key} value={one.key} onSelect={() => choose(one)}>
                  {one.icon && <one.icon size={15} aria-hidden="true" />}
                  <bdi className="cut">{one.name}</bdi>
                  {one.within !== undefined && <bdi className="muted end">{one.within}</bdi>}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </dialog>
  );
}

interface Acts {
  readonly onHelp: () => void;
  readonly searchIn: (collection: string, words: string) => void;
}

interface Groups {
  readonly groups: readonly Group[];
  /** Nothing is found by its name, and nothing is still looked for. */
  readonly isNothingNamed: boolean;
}

function useGroups(role: Role, typed: string, { onHelp, searchIn }: Acts): Groups {
  const given: { readonly collection?: string } = useParams({ strict: false });
  const { c: searched }: { readonly c?: string } = useSearch({ strict: false });
  const collections = useQuery(collectionsQuery).data?.items ?? [];
  const words = typed.trim();
  const { data: connections = [], isFetching } = useQuery({
    ...namedConnectionsQuery(
      words.slice(0, LONGEST_SEARCH).toWellFormed(),
      words === '' ? MOST.idle : MOST_NAMED,
    ),
    placeholderData: keepPreviousData,
  });
  const sources = useQuery(sourcesQuery).data ?? [];
  const here = given.collection ?? searched ?? collections[0]?.readable_id;
  const mayConnect = here !== undefined && words !== '' && isAtLeast(role, 'member');
  const all: readonly Group[] = [
    {
      heading: 'Pages',
      found: [
        ...pagesFor(role).map(({ to, label, icon }) => ({ key: to, name: label, icon, to })),
        { key: '/account', name: 'Your account', also: 'password sessions', to: '/account' },
        { key: 'keys', name: 'Keyboard shortcuts', also: 'keys help', act: onHelp },
      ],
    },
    {
      heading: 'Collections',
      found: collections.map(({ readable_id: id, name }) => ({
        ...{ key: `collection ${id}`, name, also: id },
        to: addressOf(id),
      })),
    },
    {
      heading: 'Connections',
      found: connections.map(({ id, name, short_name, readable_collection_id: within }) => ({
        ...{ key: `connection ${id}`, name, within, also: `${short_name} ${within}` },
        to: `${addressOf(within)}/connections/${id}`,
      })),
    },
    {
      heading: 'Connect a source',
      found: (mayConnect ? sources : []).map(({ short_name, name }) => ({
        ...{ key: `source ${short_name}`, name: `Connect ${name}`, also: name, within: here },
        to: `${addressOf(here ?? '')}/connect/${short_name}`,
      })),
    },
  ];
  const groups = all.map(({ heading, found }) => ({
    heading,
    found: findByName(
      found,
      words,
      words !== '' ? MOST.typed : heading === 'Pages' ? found.length : MOST.idle,
    ),
  }));
  const isNothingNamed = !isFetching && groups.every(({ found }) => found.length === 0);
  if (here !== undefined && words !== '') {
    const search = { key: 'search', name: `Search for “${words}”`, within: here };
    groups.push({ heading: 'Search', found: [{ ...search, act: () => searchIn(here, words) }] });
  }
  return { groups: groups.filter(({ found }) => found.length > 0), isNothingNamed };
}

const addressOf = (collection: string): string => `/collections/${encodeURIComponent(collection)}`;
