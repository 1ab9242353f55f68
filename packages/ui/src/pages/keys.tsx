import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../api/client.ts';
import { keysQuery, meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { serverNow } from '../lib/clock.ts';
import { ROLE_CHOICES, ROLE_NAMES, type Role } from '../lib/role.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormFault } from '../ui/form-fault.tsx';
import { Menu } from '../ui/menu.tsx';
import { OnlyAdmins } from '../ui/only-admins.tsx';
import { Card, Empty, Page as Frame } from '../ui/page.tsx';
import { Part } from '../ui/part.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { Ago, Moment } from '../ui/time.tsx';

const DAY = 86_400_000;
const refresh = () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });

export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Frame title="API keys" sub="Programs and assistants send a key with each request.">
      {me.role === 'admin' ? <Keys /> : <OnlyAdmins />}
    </Frame>
  );
}

type Asking =
  | { readonly kind: 'make' }
  | { readonly kind: 'rotate' | 'delete'; readonly key: Schemas['ApiKey'] };

function Keys() {
  const [shown, setShown] = useState<Schemas['ApiKeyWithValue'] | null>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const keys = useQuery(keysQuery);
  const make = (
    <Button look="primary" onClick={() => setAsking({ kind: 'make' })}>
      <Plus size={16} aria-hidden="true" /> Make a key
    </Button>
  );
  const close = () => setAsking(null);
  const show = async (key: Schemas['ApiKeyWithValue']) => {
    setShown(key);
    close();
    await refresh();
  };
  return (
    <>
      {shown && (
        <Banner
          tone="ok"
          title={`The key ${shown.name} is made`}
          actions={<Button onClick={() => setShown(null)}>I have copied it</Button>}
        >
          Copy it now: Quarry cannot show it again.
        </Banner>
      )}
      {shown && <Code text={shown.key} label="the key" />}
      <Card title="Keys" actions={make}>
        <Part query={keys} what="The keys">
          {({ items }) =>
            items.length === 0 ? (
              <Empty action={make}>No key yet.</Empty>
            ) : (
              <KeyTable keys={items} onAsk={setAsking} />
            )
          }
        </Part>
      </Card>
      {asking?.kind === 'make' && <MakeKey onClose={close} onMade={show} />}
      {asking?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete the key ${asking.key.name}?`}
          action="Delete the key"
          onClose={close}
          onConfirm={async () => {
            const path = { id: asking.key.id };
            await bodyOf(client.DELETE('/v1/api-keys/{id}', { params: { path } }));
            setShown((now) => (now?.id === path.id ? null : now));
            close();
            await refresh();
          }}
        >
          Programs that use it get an error from now on.
        </ConfirmDialog>
      )}
      {asking?.kind === 'rotate' && (
        <ConfirmDialog
          title={`Replace the key ${asking.key.name}?`}
          action="Replace it"
          onClose={close}
          onConfirm={async () => {
            const path = { id: asking.key.id };
            await show(await bodyOf(client.POST('/v1/api-keys/{id}/rotate', { params: { path } })));
          }}
        >
          A new value is made, with the same rights. The old one stops at once.
        </ConfirmDialog>
      )}
    </>
  );
}

const KeyTable = ({
  keys,
  onAsk,
}: {
  readonly keys: readonly Schemas['ApiKey'][];
  readonly onAsk: (asking: Asking) => void;
}) => (
  <Scroller>
    <table className="stacked">
      <thead>
        <tr>
          <th>Name</th>
          <th>Role</th>
          <th>Made by</th>
          <th>Last used</th>
          <th>Expires</th>
          <th>
            <span className="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td>
              <strong>
                <bdi>{key.name}</bdi>
              </strong>
              {key.collections && (
                <>
                  <br />
                  <span className="muted tiny">only {key.collections.join(', ')}</span>
                </>
              )}
            </td>
            <td data-label="Role">{ROLE_NAMES[key.role]}</td>
            <td className="soft" data-label="Made by">
              <bdi>{key.created_by_email}</bdi>
            </td>
            <td className="muted" data-label="Last used">
              {key.last_used_at ? <Ago at={key.last_used_at} /> : 'never'}
            </td>
            <td className="muted" data-label="Expires">
              {key.expires_at ? <Moment at={key.expires_at} /> : 'never'}
            </td>
            <td className="num">
              <Menu name={key.name}>
                <button type="button" onClick={() => onAsk({ kind: 'rotate', key })}>
                  Replace
                </button>
                <button
                  type="button"
                  className="danger"
                  onClick={() => onAsk({ kind: 'delete', key })}
                >
                  Delete
                </button>
              </Menu>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroller>
);

function MakeKey({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (key: Schemas['ApiKeyWithValue']) => Promise<void>;
}) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('read');
  const [days, setDays] = useState('');
  const form = useSubmit(async () => {
    const expires_at = days && new Date(serverNow() + Number(days) * DAY).toISOString();
    const body = { name, role, ...(expires_at && { expires_at }) };
    await onMade(await bodyOf(client.POST('/v1/api-keys', { body })));
  });
  return (
    <Dialog title="Make a key" onClose={onClose} isBusy={form.isBusy}>
      <form className="form" onSubmit={form.submit} noValidate>
        <TextField
          label="Name"
          help="Say who will use it, such as Website search."
          value={name}
          onValue={setName}
          fault={form.faultOf('name')}
        />
        <SelectField
          label="Role"
          value={role}
          onValue={(value) => setRole(value as Role)}
          choices={ROLE_CHOICES}
          fault={form.faultOf('role')}
        />
        <SelectField
          label="Expires"
          value={days}
          onValue={setDays}
          choices={[
            { value: '', label: 'Never' },
            { value: '30', label: 'In 30 days' },
            { value: '90', label: 'In 90 days' },
            { value: '365', label: 'In a year' },
          ]}
          fault={form.faultOf('expires_at')}
        />
        <FormFault of={form} title="The key was not made" />
        <div className="acts">
          <Button busy={form.isBusy && 'Cancel'} onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" busy={form.isBusy && 'Making …'}>
            Make it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
