import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { meQuery, systemQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { type AssistantId, nameOf, setUpOf } from '../../lib/assistants.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { LastCall } from './last-call.tsx';

interface AssistantSetupProps {
  readonly assistant: AssistantId;
  /** The readable_id of the only collection that it searches; null means all that its key may read. */
  readonly collection: string | null;
}

/** Shows what leads an assistant to the collections, with a key that only reads. */
export function AssistantSetup({ assistant, collection }: AssistantSetupProps) {
  const { data: me } = useSuspenseQuery(meQuery);
  const [made, setMade] = useState<{ readonly id: string; readonly key: string } | null>(null);
  const system = useQuery(systemQuery(me.role));
  const { text, label, help } = setUpOf({
    ...{ assistant, collection, key: made?.key ?? null },
    commandLine: system.data?.command_line ?? null,
    origin: window.location.origin,
  });
  const name = nameOf(assistant);
  const make = useSubmit(async () => {
    const role = 'read' as const;
    const body = { name, role, ...(collection !== null && { collections: [collection] }) };
    setMade(await bodyOf(client.POST('/v1/api-keys', { body })));
    await queryClient.invalidateQueries({ queryKey: ['keys'] });
  });
  const needsKey = made === null && text.includes('<key>');
  if (system.isLoading) return <p className="small muted">Loading …</p>;
  return (
    <div className="tight">
      <Code text={text} label={label} wraps />
      <p className="small muted">{help}</p>
      {needsKey && me.role === 'admin' && (
        <div className="row wrap">
          <Button size="sm" busy={make.isBusy && 'Making …'} onClick={() => make.submit()}>
            Put a new key in
          </Button>
          <span className="small muted">
            It only reads, {collection === null ? 'in all collections' : 'and only this collection'}
            .
          </span>
        </div>
      )}
      {needsKey && me.role !== 'admin' && (
        <p className="small muted">
          An admin makes the key under API keys; the role Reader is enough.
        </p>
      )}
      {made !== null && (
        <p className="small soft">The key is in it now. Copy it: Quarry cannot show it again.</p>
      )}
      {me.role === 'admin' && (
        <LastCall name={name} collection={collection} madeId={made?.id ?? null} />
      )}
      <FormFault of={make} title="The key was not made" />
    </div>
  );
}
