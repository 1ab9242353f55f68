import '../../styles/transformers.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowUp, X } from 'lucide-react';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { transformersQuery } from '../../api/transformers.ts';
import { settingsOf } from '../../lib/settings.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { TransformerSettings } from './transformer-settings.tsx';

type Used = Schemas['SourceConnection']['transformers'];

interface TransformersProps {
  readonly connection: Schemas['SourceConnection'];
  readonly mayChange: boolean;
}

/** The transformers of a connection, in the order in which they run. */
export function Transformers({ connection, mayChange }: TransformersProps) {
  const { id } = connection;
  const known = useQuery(transformersQuery).data?.items ?? [];
  const [changed, setChanged] = useState<Used | null>(null);
  const [isSaved, setSaved] = useState(false);
  const [open, setOpen] = useState<number | null>(null);
  const used = changed ?? connection.transformers;
  const save = useSubmit(async () => {
    const params = { path: { id } };
    await bodyOf(
      client.PATCH('/v1/source-connections/{id}', { params, body: { transformers: used } }),
    );
    await queryClient.invalidateQueries({ queryKey: ['connections'] });
    setChanged(null);
    setSaved(true);
  });
  const transform = useSubmit(async () => {
    const params = { path: { id } };
    await bodyOf(client.POST('/v1/source-connections/{id}/reprocess', { params }));
    setSaved(false);
    toast('The stored records pass the transformers now.');
    await queryClient.invalidateQueries({ queryKey: ['jobs'] });
  });
  const nameOf = (of: string) => known.find((one) => one.id === of)?.name ?? of;
  const put = (at: number, one: Used[number]) => setChanged(used.with(at, one));
  const addable = known.filter((one) => used.every(({ transformer_id: of }) => of !== one.id));
  function add(transformer_id: string): void {
    setChanged([...used, { transformer_id, config: {} }]);
    const transformer = known.find((one) => one.id === transformer_id);
    if (transformer && settingsOf(transformer.config_schema).length > 0) setOpen(used.length);
  }
  const edited = open === null ? undefined : used[open];
  return (
    <Card title="Transformers">
      <div className="pad tight stack">
        {used.length === 0 && (
          <p className="small soft">
            None. A{' '}
            <Link to="/transformers" className="link">
              transformer
            </Link>{' '}
            changes records before a search finds them.
          </p>
        )}
        <ol className="used-transformers">
          {used.map((one, i) => (
            <Row
              key={one.transformer_id}
              name={nameOf(one.transformer_id)}
              config={one.config}
              isFirst={i === 0}
              mayChange={mayChange}
              onUp={() => setChanged(used.toSpliced(i, 1).toSpliced(i - 1, 0, one))}
              onSettings={() => setOpen(i)}
              onRemove={() => setChanged(used.toSpliced(i, 1))}
            />
          ))}
        </ol>
        {mayChange && addable.length > 0 && (
          <select
            className="input"
            aria-label="Add a transformer"
            value=""
            onChange={({ target }) => add(target.value)}
          >
            <option value="">Add a transformer …</option>
            {addable.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        )}
        <FormFault of={save} title="The transformers were not changed" />
        {changed && (
          <div className="acts">
            <Button onClick={() => setChanged(null)}>Undo</Button>
            <Button look="primary" busy={save.isBusy && 'Saving …'} onClick={() => save.submit()}>
              Save
            </Button>
          </div>
        )}
        {isSaved && !changed && (
          <>
            <p className="small soft">
              Saved. The next sync changes the stored records. You can also do it now.
            </p>
            <FormFault of={transform} title="The records were not transformed" />
            <Button busy={transform.isBusy && 'Starting …'} onClick={() => transform.submit()}>
              Transform them now
            </Button>
          </>
        )}
      </div>
      {open !== null && edited && (
        <TransformerSettings
          transformer={known.find((one) => one.id === edited.transformer_id)}
          config={edited.config}
          onConfig={(config) => {
            put(open, { ...edited, config });
            setOpen(null);
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </Card>
  );
}

interface RowProps {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly isFirst: boolean;
  readonly mayChange: boolean;
  readonly onUp: () => void;
  readonly onSettings: () => void;
  readonly onRemove: () => void;
}

const Row = ({ name, config, isFirst, mayChange, onUp, onSettings, onRemove }: RowProps) => (
  <li>
    <div className="row">
      <bdi className="grow">{name}</bdi>
      {mayChange && (
        <>
          {!isFirst && (
            <Button size="sm" look="ghost" icon aria-label={`${name}: earlier`} onClick={onUp}>
              <ArrowUp size={14} aria-hidden="true" />
            </Button>
          )}
          <Button size="sm" look="ghost" aria-label={`${name}: settings`} onClick={onSettings}>
            Settings
          </Button>
          <Button size="sm" look="ghost" icon aria-label={`${name}: remove`} onClick={onRemove}>
            <X size={14} aria-hidden="true" />
          </Button>
        </>
      )}
    </div>
    {Object.keys(config).length > 0 && (
      <code className="tiny muted breakable">{JSON.stringify(config)}</code>
    )}
  </li>
);
