import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { counted } from 'quarry-text/numbers';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { OnlyAdmins } from '../../ui/only-admins.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Scroller } from '../../ui/scroller.tsx';
import { Invite } from './invite.tsx';
import { Invited } from './invited.tsx';
import { MemberRow } from './member-row.tsx';
import { membersQuery } from './query.ts';

export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Frame title="Members" sub="People who sign in to this organization.">
      {me.role === 'admin' ? <Members me={me} /> : <OnlyAdmins />}
    </Frame>
  );
}

function Members({ me }: { readonly me: Schemas['Me'] }) {
  const [invited, setInvited] = useState<Schemas['Invitation'] | null>(null);
  const members = useQuery(membersQuery);
  return (
    <>
      <Invite onInvited={setInvited} />
      {invited && <Invited invitation={invited} onDone={() => setInvited(null)} />}
      <Card title="Members" note={members.data && counted(members.data.total, 'person', 'people')}>
        <Part query={members} what="The members">
          {({ items }) => (
            <Scroller>
              <table className="stacked">
                <thead>
                  <tr>
                    <th>Person</th>
                    <th>State</th>
                    <th>Role</th>
                    <th>
                      <span className="sr">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((one) => (
                    <MemberRow
                      key={one.id}
                      member={one}
                      isMe={one.email === me.user.email}
                      isOnlyAdmin={items.filter(isAdmin).length === 1 && isAdmin(one)}
                      onRemoved={() => setInvited((now) => (now?.id === one.id ? null : now))}
                    />
                  ))}
                </tbody>
              </table>
            </Scroller>
          )}
        </Part>
      </Card>
    </>
  );
}

const isAdmin = ({ role, status }: Schemas['Member']): boolean =>
  role === 'admin' && status === 'active';
