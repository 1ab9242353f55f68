import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';

export interface JobProps {
  readonly job: Schemas['SourceConnectionJob'];
  readonly connectionId: string;
  readonly mayChange: boolean;
}

/** Asks whether records are deleted of which so many were gone at once that it may be a mistake. */
export function HeldBack({ job, connectionId, mayChange }: JobProps) {
  const confirm = useSubmit(async () => {
    await bodyOf(
      client.POST('/v1/source-connections/{id}/jobs/{job_id}/confirm-deletions', {
        params: { path: { id: connectionId, job_id: job.id } },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: ['jobs'] });
  });
  return (
    <>
      <Banner
        tone="warn"
        title="Deletions were held back"
        actions={
          mayChange && (
            <Button
              look="danger"
              busy={confirm.isBusy && 'Starting …'}
              onClick={() => confirm.submit()}
            >
              Delete these records
            </Button>
          )
        }
      >
        {job.error_details?.message} {job.error_details?.hint}
      </Banner>
      <FormFault of={confirm} title="Nothing was deleted" />
    </>
  );
}
