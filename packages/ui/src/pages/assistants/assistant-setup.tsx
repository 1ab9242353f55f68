import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { type AssistantId, nameOf, setUpOf } from '../../lib/assistants.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { FormFault } from '../../ui/form-fault.tsx';

interface AssistantSetupProps {
  readonly assistant: AssistantId;
  /** The readable_id of the collection that it searches. */
  readonly collection: string;
}

/** Shows what leads an assistant to a collection, with a key that reaches nothing else. */
export function AssistantSetup({ assistant, collection }: AssistantSetupProps) {
  const { data: me } = useSuspenseQuery(meQuery);
  const [key, setKey] = useState<string | null>(null);
  const { text, label, help } = setUpOf({
    ...{ assistant, collection, key },
    origin: window.location.origin,
  });
  const name = nameOf(assistant);
  const make = useSubmit(async () => {
    const made = await bodyOf(
      client.POST('/v1/api-keys', { body: { name, role: 'read', collections: [collection] } }),
    );
    setKey(made.key);
    await queryClient.invalidateQueries({ queryKey: ['keys'] });
  });
  const needsKey = key === null && text.includes('<key>');
  return (
    <div className="tight">
      <Code text={text} label={label} wraps />
      <p className="small muted">{help}</p>
      {needsKey && me.role === 'admin' && (
        <div className="row wrap">
          <Button size="sm" busy={make.isBusy && 'Making …'} onClick={() => make.submit()}>
            Put a new key in
          </Button>
          <span className="small muted">It only reads, and only this collection.</span>
        </div>
      )}
      {needsKey && me.role !== 'admin' && (
        <p className="small muted">
          An admin makes the key under API keys; the role read is enough.
        </p>
      )}
      {key !== null && (
        <p className="small soft">
          The key is in it now. Copy it: Quarry keeps only a hash, so nobody can show it again.
        </p>
      )}
      <FormFault of={make} title="The key was not made" />
    </div>
  );
}
