import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { bodyOf, client, listOf, type Schemas } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { counted } from '../lib/numbers.ts';
import { ROLE_CHOICES, type Role } from '../lib/role.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormFault } from '../ui/form-fault.tsx';
import { OnlyAdmins } from '../ui/only-admins.tsx';
import { Card, Page as Frame } from '../ui/page.tsx';
import { Part } from '../ui/part.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { State } from '../ui/state.tsx';
import { Ago, Moment } from '../ui/time.tsx';

const refresh = () => queryClient.invalidateQueries({ queryKey: ['members'] });

export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Frame title="Members" sub="People who sign in to this organization.">
      {me.role === 'admin' ? <Members me={me} /> : <OnlyAdmins />}
    </Frame>
  );
}

function Members({ me }: { readonly me: Schemas['Me'] }) {
  const [invited, setInvited] = useState<Schemas['Invitation'] | null>(null);
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) =>
      listOf(client.GET('/v1/members', { params: { query: { limit: 1000 } }, signal })),
  });
  return (
    <>
      <Invite onInvited={setInvited} />
      {invited && (
        <>
          <Banner
            tone="ok"
            title={`${invited.email} is invited`}
            actions={<Button onClick={() => setInvited(null)}>I have sent it</Button>}
          >
            Send this link to the person. It works once, and for seven days.
          </Banner>
          <Code text={invited.invitation_url} label="the invitation" />
        </>
      )}
      <Card title="Members" note={members.data && counted(members.data.total, 'person', 'people')}>
        <Part query={members} what="The members">
          {({ items }) => (
            <Scroller>
              <table>
                <thead>
                  <tr>
                    <th>Person</th>
                    <th>State</th>
                    <th>Role</th>
                    <th>
                      <span className="sr">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((one) => (
                    <MemberRow key={one.id} member={one} isMe={one.email === me.user.email} />
                  ))}
                </tbody>
              </table>
            </Scroller>
          )}
        </Part>
      </Card>
    </>
  );
}

function Invite({ onInvited }: { readonly onInvited: (made: Schemas['Invitation']) => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('read');
  const form = useSubmit(async () => {
    onInvited(await bodyOf(client.POST('/v1/members', { body: { email, role } })));
    setEmail('');
    await refresh();
  });
  return (
    <Card title="Invite somebody">
      <form className="pad form" onSubmit={form.submit} noValidate>
        <div className="filters">
          <TextField
            label="E-mail address"
            type="email"
            autoComplete="off"
            value={email}
            onValue={setEmail}
            fault={form.faultOf('email')}
          />
          <SelectField
            label="Role"
            value={role}
            onValue={(value) => setRole(value as Role)}
            choices={ROLE_CHOICES}
            fault={form.faultOf('role')}
          />
        </div>
        <FormFault of={form} title="Nobody was invited" />
        <Button look="primary" type="submit" busy={form.isBusy && 'Inviting …'}>
          <UserPlus size={16} aria-hidden="true" /> Invite
        </Button>
      </form>
    </Card>
  );
}

function MemberRow({
  member,
  isMe,
}: {
  readonly member: Schemas['Member'];
  readonly isMe: boolean;
}) {
  const { id, email, name, role, status, created_at, expires_at } = member;
  const [isRemoving, setRemoving] = useState(false);
  const [asked, setAsked] = useState<Role>(role);
  const change = useSubmit(async () => {
    await bodyOf(
      client.PATCH('/v1/members/{id}', { params: { path: { id } }, body: { role: asked } }),
    );
    await refresh();
  });
  const isInvited = status === 'invited';
  return (
    <tr>
      <td>
        <strong>
          <bdi>{name ?? email}</bdi>
        </strong>
        {isMe && <span className="muted"> (you)</span>}
        <br />
        <span className="muted tiny">{name && <bdi>{email}</bdi>}</span>
      </td>
      <td>
        <State tone={isInvited ? 'wait' : 'ok'}>{isInvited ? 'Invited' : 'Joined'}</State>
        <br />
        <span className="muted tiny">
          {isInvited && expires_at ? (
            <>
              until <Moment at={expires_at} />
            </>
          ) : (
            <Ago at={created_at} />
          )}
        </span>
      </td>
      <td>
        <span className="row">
          <select
            className="input fit"
            aria-label={`Role of ${email}`}
            value={asked}
            onChange={(event) => setAsked(event.target.value as Role)}
          >
            {ROLE_CHOICES.map(({ value }) => (
              <option key={value} value={value}>
                {value}
              </option>
            ))}
          </select>
          {asked !== role && (
            <Button size="sm" busy={change.isBusy && 'Saving …'} onClick={() => change.submit()}>
              Save
            </Button>
          )}
        </span>
        {change.summary() && <p className="fault">{change.summary()}</p>}
      </td>
      <td className="num">
        <Button size="sm" look="danger" onClick={() => setRemoving(true)}>
          {isInvited ? 'Withdraw' : 'Remove'}
        </Button>
        {isRemoving && (
          <ConfirmDialog
            title={isInvited ? `Withdraw the invitation of ${email}?` : `Remove ${email}?`}
            action={isInvited ? 'Withdraw it' : 'Remove the person'}
            onClose={() => setRemoving(false)}
            onConfirm={async () => {
              await bodyOf(client.DELETE('/v1/members/{id}', { params: { path: { id } } }));
              await refresh();
            }}
          >
            {isInvited
              ? 'The link no longer works.'
              : 'The sessions of the person reach this organization no more, and the keys that the person has made stop.'}
          </ConfirmDialog>
        )}
      </td>
    </tr>
  );
}
