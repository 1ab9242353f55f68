import { useQuery } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useEffect, useRef, useState } from 'react';
import { collectionsQuery, connectionsQuery, sourcesQuery } from '../../api/queries.ts';
import { isAtLeast, type Role } from '../../lib/role.ts';
import { pagesFor } from '../navigation.tsx';

interface PaletteProps {
  readonly role: Role;
  readonly onHelp: () => void;
  readonly onClose: () => void;
}

/** Finds pages, collections, connections and sources to connect by what one types. */
export function Palette({ role, onHelp, onClose }: PaletteProps) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const given: { readonly collection?: string } = useParams({ strict: false });
  const collections = useQuery(collectionsQuery).data?.items ?? [];
  const connections = useQuery(connectionsQuery()).data?.items ?? [];
  const sources = useQuery(sourcesQuery).data ?? [];
  const collection = given.collection ?? collections[0]?.readable_id;
  const words = typed.trim();
  useEffect(() => {
    dialog.current?.showModal();
    // The browser would give the focus to the list around the input.
    input.current?.focus();
  }, []);
  function go(to: string): void {
    onClose();
    void router.navigate({ href: to });
  }
  const within = collection && `/collections/${encodeURIComponent(collection)}`;
  return (
    <dialog ref={dialog} className="palette" aria-label="Find anything" onClose={onClose}>
      <Command label="Find anything" loop>
        <Command.Input
          ref={input}
          value={typed}
          onValueChange={setTyped}
          placeholder="A page, a collection, a connection, a source"
        />
        <Command.List>
          <Command.Empty>Nothing has this name.</Command.Empty>
          <Command.Group heading="Pages">
            {pagesFor(role).map(({ to, label, icon: Icon }) => (
              <Command.Item
                key={to}
                value={`page ${to}`}
                keywords={[label]}
                onSelect={() => go(to)}
              >
                <Icon size={15} aria-hidden="true" /> {label}
              </Command.Item>
            ))}
            <Command.Item
              value="page /account"
              keywords={['Your account']}
              onSelect={() => go('/account')}
            >
              Your account
            </Command.Item>
            <Command.Item
              value="keys"
              keywords={['Keyboard shortcuts', 'Keys', 'help']}
              onSelect={onHelp}
            >
              Keyboard shortcuts
            </Command.Item>
          </Command.Group>
          {collections.length > 0 && (
            <Command.Group heading="Collections">
              {collections.map(({ readable_id, name }) => (
                <Command.Item
                  key={readable_id}
                  value={`collection ${readable_id}`}
                  keywords={[name]}
                  onSelect={() => go(`/collections/${encodeURIComponent(readable_id)}`)}
                >
                  <bdi className="cut">{name}</bdi>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {connections.length > 0 && (
            <Command.Group heading="Connections">
              {connections.map(({ id, name, readable_collection_id: of }) => (
                <Command.Item
                  key={id}
                  value={`connection ${id}`}
                  keywords={[name, of]}
                  onSelect={() => go(`/collections/${encodeURIComponent(of)}/connections/${id}`)}
                >
                  <bdi className="cut">{name}</bdi>
                  <bdi className="muted end">{of}</bdi>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {within && isAtLeast(role, 'member') && words !== '' && (
            <Command.Group heading="Connect a source">
              {sources.map(({ short_name, name }) => (
                <Command.Item
                  key={short_name}
                  value={`connect ${short_name}`}
                  keywords={['Connect', name]}
                  onSelect={() => go(`${within}/connect/${short_name}`)}
                >
                  Connect {name}
                  <bdi className="muted end">{collection}</bdi>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {collection && words !== '' && (
            <Command.Group heading="Search" forceMount>
              <Command.Item
                value="search for these words"
                forceMount
                onSelect={() =>
                  go(`/search?${new URLSearchParams({ c: collection, q: words }).toString()}`)
                }
              >
                Search for “<bdi className="cut">{words}</bdi>”
                <bdi className="muted end">{collection}</bdi>
              </Command.Item>
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </dialog>
  );
}
