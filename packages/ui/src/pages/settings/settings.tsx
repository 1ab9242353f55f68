import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { OnlyAdmins } from '../../ui/only-admins.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { toast } from '../../ui/toast.tsx';
import { Usage } from './usage.tsx';

const FLAGS = [
  [
    'AGENTIC_SEARCH',
    'Agentic search',
    'Searches several times, checks what it has found, and answers.',
  ],
  [
    'SOURCE_RATE_LIMITING',
    'Limits on calls to sources',
    'Sources are called no more often than their limits say.',
  ],
] as const;

/** The organization: its name, its features, its quotas and its usage. */
export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  const organization = useQuery({
    queryKey: ['organization', me.organization.id],
    enabled: me.role === 'admin',
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/organizations/{id}', {
          params: { path: { id: me.organization.id } },
          signal,
        }),
      ),
  });
  return (
    <Frame title="Settings" sub="These settings apply to the whole organization.">
      {me.role !== 'admin' ? (
        <OnlyAdmins />
      ) : (
        <Part query={organization} what="The organization">
          {(data) => (
            <>
              <Organization key={data.modified_at} organization={data} />
              <Usage organizationId={data.id} />
            </>
          )}
        </Part>
      )}
    </Frame>
  );
}

function Organization({ organization }: { readonly organization: Schemas['Organization'] }) {
  const { id, quotas } = organization;
  const [name, setName] = useState(organization.name);
  const [flags, setFlags] = useState<readonly string[]>(organization.feature_flags);
  const [quota, setQuota] = useState(quotas.agentic_queries_per_hour?.toString() ?? '');
  const [quotaFault, setQuotaFault] = useState<string>();
  const form = useSubmit(async () => {
    const isNumber = /^\d*$/.test(quota.trim());
    setQuotaFault(isNumber ? undefined : 'This is a whole number, or nothing.');
    if (!isNumber) return;
    await bodyOf(
      client.PATCH('/v1/organizations/{id}', {
        params: { path: { id } },
        body: {
          name,
          feature_flags: FLAGS.flatMap(([flag]) => (flags.includes(flag) ? flag : [])),
          quotas: { agentic_queries_per_hour: quota.trim() === '' ? null : Number(quota) },
        },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: ['organization'] });
    await queryClient.invalidateQueries({ queryKey: ['me'] });
    toast('Saved');
  });
  return (
    <Card title="Organization">
      <form className="pad form" onSubmit={form.submit} noValidate>
        <TextField label="Name" value={name} onValue={setName} fault={form.faultOf('name')} />
        <fieldset className="tight">
          <legend className="label">Features</legend>
          {FLAGS.map(([flag, label, help]) => (
            <label key={flag} className="check">
              <input
                type="checkbox"
                checked={flags.includes(flag)}
                onChange={(event) =>
                  setFlags(
                    event.target.checked ? [...flags, flag] : flags.filter((one) => one !== flag),
                  )
                }
              />
              <span>
                {label}
                <br />
                <span className="muted">{help}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <TextField
          label="Agentic searches per hour"
          inputMode="numeric"
          isOptional
          help="Leave it empty for no limit."
          value={quota}
          onValue={setQuota}
          fault={quotaFault ?? form.faultOf('quotas')}
        />
        <FormFault of={form} title="Nothing was saved" />
        <Button look="primary" type="submit" busy={form.isBusy && 'Saving …'}>
          Save
        </Button>
      </form>
    </Card>
  );
}
