import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { inviterName } from '../../lib/invitation.ts';
import { chooseOrganization } from '../../lib/organization.ts';
import { messageOf, Refusal } from '../../lib/refusal.ts';
import { ROLE_WORDS } from '../../lib/role.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Alone } from './alone.tsx';
import { useEnter } from './enter.ts';
import { useInvitationToken } from './token.ts';

/** Opens with the token of an invitation. */
export function Page() {
  const enter = useEnter();
  const { token, forget } = useInvitationToken();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const invitation = useQuery({
    queryKey: ['invitation', token],
    enabled: token !== '',
    queryFn: ({ signal }) =>
      bodyOf(client.POST('/v1/auth/invitation', { body: { token }, signal })),
    // Another answer would take the form away while somebody types.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const form = useSubmit(async () => {
    const called = name.trim() === '' ? {} : { name: name.trim() };
    const me = await bodyOf(
      client.POST('/v1/auth/accept', { body: { token, password, ...called } }),
    );
    forget();
    // An account that was there already may belong to others, which are older.
    chooseOrganization(me.organization.id);
    await enter('/collections');
  });
  if (token === '')
    return (
      <Alone title="This link is not complete">
        <Banner tone="bad" title="The link has no invitation in it">
          Open the whole link that you were given, or ask an admin for another one.
        </Banner>
      </Alone>
    );
  const { data, error } = invitation;
  const inviter = inviterName(data?.invited_by ?? null);
  if (error instanceof Refusal && error.status === 404)
    return (
      <Alone title="This invitation cannot be used">
        <Banner tone="bad" title="It opens nothing any more">
          {messageOf(error)}
        </Banner>
        <p>
          <a href="/sign-in" className="link">
            Sign in by password
          </a>
        </p>
      </Alone>
    );
  return (
    <Alone title={data ? `Join ${data.organization}` : 'Join Quarry'}>
      <p className="soft">
        {data ? (
          <>
            {inviter === undefined ? (
              'You are invited'
            ) : (
              <>
                <bdi>{inviter}</bdi> invited you
              </>
            )}{' '}
            to <bdi>{data.organization}</bdi> as {ROLE_WORDS[data.role]}. You will sign in as{' '}
            <bdi>{data.email}</bdi>.
          </>
        ) : (
          'You were invited.'
        )}{' '}
        Choose a password, or give the one that you have here already.
      </p>
      <form className="form" onSubmit={form.submit} noValidate>
        <TextField
          label="Your name"
          isOptional
          autoComplete="name"
          help="The others see it. An account that you have here already keeps its name."
          value={name}
          onValue={setName}
          fault={form.faultOf('name')}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          help="At least 8 characters."
          value={password}
          onValue={setPassword}
          fault={form.faultOf('password')}
        />
        <FormFault of={form} title="You have not joined" />
        <Button look="primary" size="large" type="submit" busy={form.isBusy && 'Joining …'}>
          Join
        </Button>
      </form>
    </Alone>
  );
}
