import { useQuery } from '@tanstack/react-query';
import { User, Users } from 'lucide-react';
import { count } from 'quarry-text/numbers';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { answerOf, everybodyMaySee, principalOf, principalParts } from '../../lib/access-words.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { State } from '../../ui/state.tsx';

/** A record may name thousands of viewers. */
const MOST_SHOWN = 50;

const ask = (id: string, principal?: string) =>
  bodyOf(
    client.GET('/v1/entities/{entity_id}/access', {
      params: { path: { entity_id: id }, query: principal === undefined ? {} : { principal } },
    }),
  );

/** Shows an admin who may see a record, and answers whether somebody may. */
export function WhoMaySee({ id }: { readonly id: string }) {
  const access = useQuery({ queryKey: ['access', id], queryFn: () => ask(id) });
  return (
    <Card title="Who may see it">
      <div className="pad form">
        <Part query={access} what="The viewers">
          {(data) => <Viewers access={data} />}
        </Part>
        <Ask id={id} />
      </div>
    </Card>
  );
}

function Viewers({ access }: { readonly access: Schemas['EntityAccess'] }) {
  const everybody = everybodyMaySee(access);
  const viewers = access.viewers ?? [];
  if (everybody) return <p className="small soft">{everybody}</p>;
  return (
    <ul className="viewers">
      {viewers.slice(0, MOST_SHOWN).map((viewer) => {
        const { isGroup, name } = principalParts(viewer);
        const Icon = isGroup ? Users : User;
        return (
          <li key={viewer}>
            <Icon size={15} role="img" aria-label={isGroup ? 'Group' : 'Person'} />
            <bdi>{name}</bdi>
          </li>
        );
      })}
      {viewers.length > MOST_SHOWN && (
        <li className="muted">and {count(viewers.length - MOST_SHOWN)} more</li>
      )}
    </ul>
  );
}

function Ask({ id }: { readonly id: string }) {
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState<Schemas['EntityAccess']['asked']>(null);
  const [fault, setFault] = useState<string>();
  const form = useSubmit(async () => {
    setAsked(null);
    setFault(typed.trim() === '' ? 'Give an e-mail address, or group:<name>.' : undefined);
    if (typed.trim() === '') return;
    setAsked((await ask(id, principalOf(typed))).asked);
  });
  return (
    <form className="form" onSubmit={form.submit} noValidate>
      <TextField
        label="Check who can see it"
        help="An e-mail address, or group:<name>."
        value={typed}
        onValue={setTyped}
        fault={fault ?? form.faultOf('principal')}
      />
      <FormFault of={form} title="That could not be answered" />
      <div role="status">
        {asked && (
          <p className="small">
            <State tone={asked.may_see ? 'ok' : 'bad'}>{asked.may_see ? 'Yes' : 'No'}</State>{' '}
            <bdi>{answerOf(asked)}</bdi>
          </p>
        )}
      </div>
      <Button type="submit" busy={form.isBusy && 'Checking …'}>
        Check
      </Button>
    </form>
  );
}
