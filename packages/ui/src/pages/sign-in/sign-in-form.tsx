import { useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';

export function SignInForm({
  email: given = '',
  onDone,
}: {
  readonly email?: string;
  readonly onDone: () => Promise<void>;
}) {
  const [email, setEmail] = useState(given);
  const [password, setPassword] = useState('');
  const [isTried, setTried] = useState(false);
  const missing = (value: string, what: string) =>
    isTried && value.trim() === '' ? `Write your ${what}.` : undefined;
  const form = useSubmit(async () => {
    setTried(true);
    if (email.trim() === '' || password.trim() === '') return;
    await bodyOf(client.POST('/v1/auth/sign-in', { body: { email, password } }));
    await onDone();
  });
  return (
    <form className="form" onSubmit={form.submit} noValidate>
      <TextField
        label="E-mail address"
        type="email"
        autoComplete="username"
        value={email}
        onValue={setEmail}
        fault={missing(email, 'e-mail address') ?? form.faultOf('email')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onValue={setPassword}
        fault={missing(password, 'password') ?? form.faultOf('password')}
      />
      <FormFault of={form} title="You are not signed in" />
      <Button look="primary" size="large" type="submit" busy={form.isBusy && 'Signing in …'}>
        Sign in
      </Button>
    </form>
  );
}
