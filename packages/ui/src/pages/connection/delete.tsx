import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { counted } from '../../lib/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Card } from '../../ui/page.tsx';

export function Delete({
  connection: { id, name, entities },
  collection,
}: {
  readonly connection: Schemas['SourceConnection'];
  readonly collection: string;
}) {
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  return (
    <Card title="Delete">
      <div className="pad">
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
          {counted(entities.total_entities, 'record')} go with it, and searches no longer find them.
          The source keeps what it has.
        </ConfirmDialog>
      )}
    </Card>
  );
}
