import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { counted } from 'quarry-text/numbers';
import { useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { collectionQuery, meQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { isAtLeast } from '../../lib/role.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { CollectionFrame } from './frame.tsx';

export function Page() {
  const { collection } = useParams({ from: '/shell/collections/$collection/settings' });
  const { data } = useSuspenseQuery(collectionQuery(collection));
  const { data: me } = useSuspenseQuery(meQuery);
  const navigate = useNavigate();
  const [name, setName] = useState(data.name);
  const [isDeleting, setDeleting] = useState(false);
  const path = { readable_id: collection };
  const form = useSubmit(async () => {
    await bodyOf(
      client.PATCH('/v1/collections/{readable_id}', { params: { path }, body: { name } }),
    );
    await queryClient.invalidateQueries({ queryKey: ['collections'] });
    toast('Saved');
  });
  const mayChange = isAtLeast(me.role, 'member');
  return (
    <CollectionFrame collection={collection} part="Settings">
      <Card title="Name">
        <form className="pad form" onSubmit={form.submit} noValidate>
          <TextField
            label="Name"
            help="4 to 64 characters. The id stays as it is."
            value={name}
            onValue={setName}
            fault={form.faultOf('name')}
          />
          <FormFault of={form} title="The name was not saved" />
          <Button
            look="primary"
            type="submit"
            busy={form.isBusy && 'Saving …'}
            {...(!mayChange && { off: 'Only members and admins may change it.' })}
          >
            Save
          </Button>
        </form>
      </Card>
      {mayChange && (
        <Card title="Delete">
          <div className="pad row wrap">
            <span className="grow soft">
              Deletes the copies and their index. Nothing changes at the sources.
            </span>
            <Button look="danger" onClick={() => setDeleting(true)}>
              Delete this collection
            </Button>
          </div>
        </Card>
      )}
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${data.name}?`}
          action="Delete the collection"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await bodyOf(client.DELETE('/v1/collections/{readable_id}', { params: { path } }));
            // Asked for on this page, the collection would be missing before the next page is there.
            await navigate({ to: '/collections' });
            await queryClient.invalidateQueries();
          }}
        >
          {counted(data.entities.total_entities, 'record')} and{' '}
          {counted(data.source_connections, 'connection')} go with it. Searches no longer find any
          of it. The sources keep what they have.
        </ConfirmDialog>
      )}
    </CollectionFrame>
  );
}
