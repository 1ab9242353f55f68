import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { sourceQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { serverNow } from '../../lib/clock.ts';
import { onceADay } from '../../lib/cron.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card } from '../../ui/page.tsx';
import { Moment } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { CronPreview, faultOfCron } from './cron-preview.tsx';
import { FREQUENT, NEVER, OWN, PRESETS } from './presets.ts';

type Connection = Schemas['SourceConnection'];

/** Says when the connection syncs by itself, and lets members change it. */
export const Schedule = ({
  connection,
  mayChange,
}: {
  readonly connection: Connection;
  readonly mayChange: boolean;
}) => (
  <Card title="Schedule">
    <div className="pad tight">
      {connection.watch && (
        <p className="soft">
          {connection.watch.message ?? 'A change in the folder is found as it happens.'}
        </p>
      )}
      <p className="soft">
        {connection.schedule.next_run ? (
          <>
            The next sync: <Moment at={connection.schedule.next_run} />
          </>
        ) : (
          `No sync starts by ${connection.watch ? 'schedule' : 'itself'}.`
        )}
      </p>
      {mayChange ? (
        <ScheduleForm connection={connection} />
      ) : (
        connection.schedule.cron && <CronPreview cron={connection.schedule.cron} />
      )}
    </div>
  </Card>
);

/** A new connection syncs once a day, at the time at which it was made. */
function dailyChoice(cron: string) {
  if (PRESETS.some(({ value }) => value === cron)) return [];
  const label = onceADay(cron, serverNow());
  return label === null ? [] : [{ value: cron, label }];
}

function ScheduleForm({
  connection: { id, short_name, schedule },
}: {
  readonly connection: Connection;
}) {
  const { data: source } = useQuery(sourceQuery(short_name));
  const stored = schedule.cron ?? NEVER;
  const known = [...dailyChoice(stored), ...PRESETS];
  const [chosen, setChosen] = useState(known.some(({ value }) => value === stored) ? stored : OWN);
  const [own, setOwn] = useState(schedule.cron ?? '');
  const [isContinuous, setContinuous] = useState(schedule.continuous);
  const cron = chosen === OWN ? own.trim() : chosen;
  // Until the source is known, only the service says what is too often.
  const mayBeOften = !source || source.is_local || isContinuous;
  const fault = cron === NEVER ? undefined : faultOfCron(cron, mayBeOften);
  const form = useSubmit(async () => {
    await bodyOf(
      client.PATCH('/v1/source-connections/{id}', {
        params: { path: { id } },
        body: {
          schedule: {
            cron: cron === NEVER ? null : cron,
            ...(isContinuous !== schedule.continuous && { continuous: isContinuous }),
          },
        },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: ['connections'] });
    toast('The schedule is saved');
  });
  const choices = mayBeOften ? known : known.filter(({ value }) => !FREQUENT.includes(value));
  const told = form.faultOf('schedule');
  return (
    <form className="form" onSubmit={form.submit} noValidate>
      <SelectField
        label="Syncs"
        value={chosen}
        onValue={setChosen}
        choices={[...choices, { value: OWN, label: 'At times of your own' }]}
        fault={chosen === OWN ? undefined : (fault ?? told)}
        help={
          !mayBeOften &&
          (source.supports_continuous
            ? 'Once an hour is the most for this source. Turn on Continuous for every 5 minutes.'
            : 'Once an hour is the most for this source.')
        }
      />
      {chosen === OWN && (
        <TextField
          label="Cron expression"
          help="Minute, hour, day, month and weekday, in UTC. 17 3 * * 1-5 is 03:17 on workdays."
          value={own}
          onValue={setOwn}
          spellCheck={false}
          fault={own === '' ? told : (fault ?? told)}
          isLive={fault !== undefined}
        />
      )}
      {source?.supports_continuous && (
        <label className="check">
          <input
            type="checkbox"
            checked={isContinuous}
            onChange={(event) => setContinuous(event.target.checked)}
          />
          <span>
            Continuous <span className="muted">– most syncs ask only for what has changed</span>
          </span>
        </label>
      )}
      {cron !== NEVER && chosen !== stored && fault === undefined && <CronPreview cron={cron} />}
      <FormFault of={form} title="The schedule was not saved" />
      <Button
        type="submit"
        busy={form.isBusy && 'Saving …'}
        {...(fault !== undefined && { off: 'The schedule is not complete.' })}
      >
        Save the schedule
      </Button>
    </form>
  );
}
