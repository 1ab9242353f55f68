import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf, client, listOf, type Schemas } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { deviceOf } from '../lib/device.ts';
import { chooseOrganization } from '../lib/organization.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FormFault } from '../ui/form-fault.tsx';
import { Card, Page as Frame } from '../ui/page.tsx';
import { Part } from '../ui/part.tsx';
import { Ago, Moment } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

/** The person who has signed in: password and sessions. */
export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Frame title="Your account" sub={<bdi>{me.user.email}</bdi>} actions={<SignOut />}>
      <div className="cols two">
        <Password user={me.user} />
        <Sessions />
      </div>
    </Frame>
  );
}

function SignOut() {
  const router = useRouter();
  const form = useSubmit(async () => {
    await bodyOf(client.POST('/v1/auth/sign-out'));
    queryClient.clear();
    await router.navigate({ to: '/sign-in' });
    // If this came first, the pages of the organization would be opened once more, and ask.
    chooseOrganization(null);
  });
  return (
    <>
      <FormFault of={form} title="You are still signed in" />
      <Button busy={form.isBusy && 'Signing out …'} onClick={() => form.submit()}>
        Sign out
      </Button>
    </>
  );
}

function Password({ user }: { readonly user: Schemas['Me']['user'] }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const form = useSubmit(async () => {
    await bodyOf(
      client.POST('/v1/auth/password', {
        body: { ...(user.has_password && { current_password: current }), new_password: next },
      }),
    );
    setCurrent('');
    setNext('');
    await queryClient.invalidateQueries({ queryKey: ['me'] });
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
    toast('The password is set');
  });
  return (
    <Card title={user.has_password ? 'Change your password' : 'Set a password'}>
      <form className="pad form" onSubmit={form.submit} noValidate>
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        {user.has_password && (
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            value={current}
            onValue={setCurrent}
            fault={form.faultOf('current_password')}
          />
        )}
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          help="At least 8 characters. This signs you out on all other devices."
          value={next}
          onValue={setNext}
          fault={form.faultOf('new_password')}
        />
        <FormFault of={form} title="The password was not set" />
        <Button look="primary" type="submit" busy={form.isBusy && 'Saving …'}>
          Set the password
        </Button>
      </form>
    </Card>
  );
}

function Sessions() {
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => listOf(client.GET('/v1/auth/sessions', { signal })),
  });
  return (
    <Card title="Sessions">
      <Part query={sessions} what="The sessions">
        {({ items }) => (
          <ul>
            {items.map((one) => (
              <SessionRow key={one.id} session={one} />
            ))}
          </ul>
        )}
      </Part>
    </Card>
  );
}

function SessionRow({ session }: { readonly session: Schemas['Session'] }) {
  const end = useSubmit(async () => {
    const path = { id: session.id };
    await bodyOf(client.DELETE('/v1/auth/sessions/{id}', { params: { path } }));
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
  });
  return (
    <li className="pad session">
      <div className="row">
        <span className="grow cut" title={session.user_agent ?? undefined}>
          {deviceOf(session.user_agent)}
        </span>
        {session.current ? (
          <span className="tag accent">this one</span>
        ) : (
          <Button size="sm" busy={end.isBusy && 'Ending …'} onClick={() => end.submit()}>
            End<span className="sr"> the session of {deviceOf(session.user_agent)}</span>
          </Button>
        )}
      </div>
      <p className="muted small">
        {session.address}, used <Ago at={session.last_used_at} />, ends{' '}
        <Moment at={session.expires_at} />
      </p>
      <FormFault of={end} title="The session was not ended" />
    </li>
  );
}
