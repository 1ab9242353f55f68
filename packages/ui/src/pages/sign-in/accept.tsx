import { useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Alone } from './alone.tsx';
import { useEnter } from './enter.ts';
import { useToken } from './token.ts';

/** Opens with the token of an invitation. */
export function Page() {
  const enter = useEnter();
  const token = useToken();
  const [password, setPassword] = useState('');
  const form = useSubmit(async () => {
    await bodyOf(client.POST('/v1/auth/accept', { body: { token, password } }));
    await enter();
  });
  if (token === '')
    return (
      <Alone title="This link is not complete">
        <Banner tone="bad" title="The link has no invitation in it">
          Open the whole link that you were given, or ask an admin for another one.
        </Banner>
      </Alone>
    );
  return (
    <Alone title="Join Quarry">
      <p className="soft">
        You were invited. Choose a password, or give the one that you have here already.
      </p>
      <form className="form" onSubmit={form.submit} noValidate>
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
