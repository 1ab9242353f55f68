import { useNavigate } from '@tanstack/react-router';
import { counted } from 'quarry-text/numbers';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Card } from '../../ui/page.tsx';

/** Deletes the connection, after saying what goes with it and what stays. */
export function Delete({
  connection: { id, name, entities, sync, federated_search },
  collection,
}: {
  readonly connection: Schemas['SourceConnection'];
  readonly collection: string;
}) {
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const goes = [
    ...(federated_search ? [] : [counted(entities.total_entities, 'record')]),
    ...(sync.total_runs > 0 ? [`the history of ${counted(sync.total_runs, 'sync', 'syncs')}`] : []),
    'its settings and its sign-in',
  ];
  return (
    <Card title="Delete">
      <div className="pad tight">
        <p className="small soft">
          Deletes the copies, their index and the history. Nothing changes at the source.
        </p>
        <Button look="danger" onClick={() => setAsked(true)}>
          Delete this connection
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the connection"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await bodyOf(
              client.DELETE('/v1/source-connections/{id}', { params: { path: { id } } }),
            );
            await navigate({ to: '/collections/$collection', params: { collection } });
            await queryClient.invalidateQueries();
          }}
        >
          {new Intl.ListFormat('en').format(goes)} go with it, and searches no longer find them.
          Nothing changes at the source.
        </ConfirmDialog>
      )}
    </Card>
  );
}
