import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { ROLE_CHOICES, type Role } from '../../lib/role.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card } from '../../ui/page.tsx';
import { refreshMembers } from './query.ts';

/** Invites somebody, and hands on the link, which the service shows only once. */
export function Invite({
  onInvited,
}: {
  readonly onInvited: (made: Schemas['Invitation']) => void;
}) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('read');
  const form = useSubmit(async () => {
    onInvited(await bodyOf(client.POST('/v1/members', { body: { email, role } })));
    setEmail('');
    await refreshMembers();
  });
  return (
    <Card title="Invite somebody">
      <form className="pad form" onSubmit={form.submit} noValidate>
        <div className="filters two">
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
