import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';

/** Names the organization. Enter keeps the name that it has. */
export function NameForm({
  me,
  onDone,
}: {
  readonly me: Schemas['Me'];
  readonly onDone: () => void;
}) {
  const { id, name: present } = me.organization;
  const [name, setName] = useState(present);
  const form = useSubmit(async () => {
    if (name !== present) {
      await bodyOf(
        client.PATCH('/v1/organizations/{id}', { params: { path: { id } }, body: { name } }),
      );
      await queryClient.invalidateQueries({ queryKey: ['me'] });
    }
    onDone();
  });
  return (
    <form className="form short" onSubmit={form.submit} noValidate>
      <TextField
        label="Name"
        help="Your company, your team or yourself. It stands at the top left, and can be changed later."
        autoComplete="organization"
        autoFocus
        value={name}
        onValue={setName}
        onFocus={(event) => event.target.select()}
        fault={form.faultOf('name')}
      />
      <FormFault of={form} title="The name was not saved" />
      <Button look="primary" type="submit" busy={form.isBusy && 'Saving …'}>
        Go on
      </Button>
    </form>
  );
}
