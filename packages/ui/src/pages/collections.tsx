import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { count, counted } from 'quarry-text/numbers';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../api/client.ts';
import { collectionsQuery, meQuery, OFTEN_MS } from '../api/queries.ts';
import { isAtLeast } from '../lib/role.ts';
import type { Shown } from '../lib/states.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FormFault } from '../ui/form-fault.tsx';
import { Card, Empty, Page as Frame } from '../ui/page.tsx';
import { Part } from '../ui/part.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { State } from '../ui/state.tsx';
import { Ago } from '../ui/time.tsx';

export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  const collections = useQuery({ ...collectionsQuery, refetchInterval: OFTEN_MS });
  const [isAdding, setAdding] = useState(false);
  const add = isAtLeast(me.role, 'member') && (
    <Button look="primary" onClick={() => setAdding(true)}>
      <Plus size={16} aria-hidden="true" /> New collection
    </Button>
  );
  return (
    <Frame title="Collections" actions={add}>
      <Part query={collections} what="The collections">
        {({ items, total }) =>
          total === 0 ? (
            <Card title="Nothing to search yet">
              <Empty action={add}>
                A collection holds copies of what your apps and databases have, and is searched as
                one.
              </Empty>
            </Card>
          ) : (
            <List collections={items} />
          )
        }
      </Part>
      {isAdding && <NewCollection onClose={() => setAdding(false)} />}
    </Frame>
  );
}

/** The state of a collection says nothing about its single connections, which may wait or fail. */
function stateOf({ status, source_connections }: Schemas['Collection']): Shown {
  if (status === 'ERROR') return { tone: 'bad', word: 'Failed' };
  if (status === 'ACTIVE') return { tone: 'none', word: 'Can be searched' };
  return { tone: 'wait', word: source_connections === 0 ? 'No source yet' : 'Nothing synced yet' };
}

const List = ({ collections }: { readonly collections: readonly Schemas['Collection'][] }) => (
  <Card title="All collections" note={counted(collections.length, 'collection')}>
    <Scroller>
      <table className="stacked">
        <thead>
          <tr>
            <th>Name</th>
            <th>State</th>
            <th>True as of</th>
            <th className="num">Records</th>
            <th className="num">Connections</th>
          </tr>
        </thead>
        <tbody>
          {collections.map((one) => {
            const { tone, word } = stateOf(one);
            return (
              <tr key={one.readable_id}>
                <td>
                  <Link to="/collections/$collection" params={{ collection: one.readable_id }}>
                    <strong>
                      <bdi>{one.name}</bdi>
                    </strong>
                  </Link>
                  <br />
                  <code className="muted">{one.readable_id}</code>
                </td>
                <td data-label="State">
                  <State tone={tone}>{word}</State>
                </td>
                <td data-label="True as of">
                  {one.true_as_of ? (
                    <Ago at={one.true_as_of} />
                  ) : (
                    <span className="muted">none</span>
                  )}
                </td>
                <td className="num" data-label="Records">
                  {count(one.entities.total_entities)}
                </td>
                <td className="num" data-label="Connections">
                  {count(one.source_connections)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroller>
  </Card>
);

function NewCollection({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const form = useSubmit(async () => {
    const made = await bodyOf(client.POST('/v1/collections', { body: { name } }));
    await queries.invalidateQueries({ queryKey: ['collections'] });
    await navigate({
      to: '/collections/$collection/connect',
      params: { collection: made.readable_id },
    });
  });
  return (
    <Dialog title="New collection" onClose={onClose} isBusy={form.isBusy}>
      <form className="form" onSubmit={form.submit} noValidate>
        <TextField
          label="Name"
          help="Say what one will search there, such as Product knowledge."
          value={name}
          onValue={setName}
          fault={form.faultOf('name')}
        />
        <FormFault of={form} title="The collection was not made" />
        <div className="acts">
          <Button busy={form.isBusy && 'Cancel'} onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" busy={form.isBusy && 'Making …'}>
            Make it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
