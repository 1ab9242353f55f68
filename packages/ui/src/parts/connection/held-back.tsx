import { count, counted } from 'quarry-text/numbers';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { HeldBackList } from './held-back-list.tsx';

interface HeldBackProps {
  readonly connection: Schemas['SourceConnection'];
  readonly mayChange: boolean;
}

/** Asks whether records are deleted of which so many were gone at once that it may be a mistake. */
export function HeldBack({ connection, mayChange }: HeldBackProps) {
  const { id, name, entities, deletions_held_back: held } = connection;
  const [isOpen, setOpen] = useState(false);
  const [isAsked, setAsked] = useState(false);
  if (!held) return null;
  const records = counted(held.count, 'record');
  return (
    <>
      <Banner
        tone="warn"
        title={`${count(held.count)} of ${counted(entities.total_entities, 'record')} are no longer in ${name}`}
        actions={
          <>
            <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide them' : `See the ${count(held.count)}`}
            </Button>
            {mayChange && (
              <Button look="danger" onClick={() => setAsked(true)}>
                Delete {records}
              </Button>
            )}
          </>
        }
      >
        So many at once may be a mistake, so Quarry kept them: searches still find them.
      </Banner>
      {isOpen && <HeldBackList connection={connection} jobId={held.job_id} total={held.count} />}
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${records}?`}
          action={`Delete ${records}`}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            const path = { id, job_id: held.job_id };
            await bodyOf(
              client.POST('/v1/source-connections/{id}/jobs/{job_id}/confirm-deletions', {
                params: { path },
              }),
            );
            setAsked(false);
            await queryClient.invalidateQueries({ queryKey: ['jobs'] });
            await queryClient.invalidateQueries({ queryKey: ['connections'] });
          }}
        >
          A full sync begins. It deletes those of them that the source still does not list, and
          searches no longer find them.
        </ConfirmDialog>
      )}
    </>
  );
}
