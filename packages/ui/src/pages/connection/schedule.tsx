import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card } from '../../ui/page.tsx';
import { Moment } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';

const OWN = 'own';
const NEVER = 'never';
/** The minutes differ, so that not all connections sync at the same time. */
const PRESETS = [
  { value: NEVER, label: 'Only when somebody starts it' },
  { value: '*/5 * * * *', label: 'Every 5 minutes' },
  { value: '*/15 * * * *', label: 'Every 15 minutes' },
  { value: '7 * * * *', label: 'Every hour' },
  { value: '23 */6 * * *', label: 'Every 6 hours' },
  { value: '17 3 * * *', label: 'Every day at 03:17 UTC' },
];

/** Says when the connection syncs by itself, and changes it. */
export function Schedule({
  connection: { id, schedule },
  mayChange,
}: {
  readonly connection: Schemas['SourceConnection'];
  readonly mayChange: boolean;
}) {
  const stored = schedule.cron ?? NEVER;
  const isPreset = PRESETS.some(({ value }) => value === stored);
  const [chosen, setChosen] = useState(isPreset ? stored : OWN);
  const [cron, setCron] = useState(schedule.cron ?? '');
  const form = useSubmit(async () => {
    const next = chosen === OWN ? cron : chosen;
    await bodyOf(
      client.PATCH('/v1/source-connections/{id}', {
        params: { path: { id } },
        body: { schedule: { cron: next === NEVER ? null : next } },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: ['connections'] });
    toast('Saved');
  });
  return (
    <Card title="Schedule">
      <form className="pad form" onSubmit={form.submit} noValidate>
        {schedule.next_run && (
          <p className="soft">
            The next sync: <Moment at={schedule.next_run} />
          </p>
        )}
        {mayChange && (
          <>
            <SelectField
              label="Syncs"
              value={chosen}
              onValue={setChosen}
              choices={[...PRESETS, { value: OWN, label: 'At times of your own' }]}
              fault={chosen === OWN ? undefined : form.faultOf('schedule')}
            />
            {chosen === OWN && (
              <TextField
                label="Cron expression"
                help="Minute, hour, day, month and weekday, in UTC. 17 3 * * 1-5 is 03:17 on workdays."
                value={cron}
                onValue={setCron}
                fault={form.faultOf('schedule')}
              />
            )}
            <FormFault of={form} title="The schedule was not saved" />
            <Button type="submit" busy={form.isBusy && 'Saving …'}>
              Save the schedule
            </Button>
          </>
        )}
      </form>
    </Card>
  );
}
