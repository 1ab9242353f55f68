import { RefreshCw } from 'lucide-react';
import { bodyOf, client } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';

/** The buttons that start a sync. */
export function Run({ id, isRunning }: { readonly id: string; readonly isRunning: boolean }) {
  const run = (full: boolean) => async () => {
    await bodyOf(
      client.POST('/v1/source-connections/{id}/run', {
        params: { path: { id }, query: full ? { force_full_sync: 'true' } : {} },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: ['jobs'] });
    await queryClient.invalidateQueries({ queryKey: ['connections'] });
  };
  const usual = useSubmit(run(false));
  const full = useSubmit(run(true));
  const busy = isRunning && 'Syncing …';
  return (
    <>
      <FormFault of={usual} title="The sync was not started" />
      <FormFault of={full} title="The sync was not started" />
      <Button
        title="Reads everything again. Sync now asks only for what has changed, where the source can tell."
        busy={busy || (full.isBusy && 'Starting …')}
        onClick={() => full.submit()}
      >
        Full sync
      </Button>
      <Button
        look="primary"
        aria-keyshortcuts="r"
        busy={busy || (usual.isBusy && 'Starting …')}
        onClick={() => usual.submit()}
      >
        <RefreshCw size={15} aria-hidden="true" /> Sync now
      </Button>
    </>
  );
}
