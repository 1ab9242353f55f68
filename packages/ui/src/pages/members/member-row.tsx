import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { beginAgain } from '../../lib/begin-again.ts';
import { inviterName } from '../../lib/invitation.ts';
import { ROLE_CHOICES, ROLE_NAMES, type Role } from '../../lib/role.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { useTyped } from '../../lib/use-typed.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { State } from '../../ui/state.tsx';
import { Ago, Moment } from '../../ui/time.tsx';
import { refreshMembers } from './query.ts';

/** A person of the organization, or somebody who is invited. */
export function MemberRow({
  member,
  isMe,
  isOnlyAdmin,
  onRemoved,
}: {
  readonly member: Schemas['Member'];
  readonly isMe: boolean;
  readonly isOnlyAdmin: boolean;
  readonly onRemoved: () => void;
}) {
  const { id, email, name, role, status, created_at, expires_at, invited_by } = member;
  const inviter = inviterName(invited_by);
  const [isRemoving, setRemoving] = useState(false);
  const [asked, setAsked] = useTyped<Role>(role);
  const change = useSubmit(async () => {
    await bodyOf(
      client.PATCH('/v1/members/{id}', { params: { path: { id } }, body: { role: asked } }),
    );
    // Only an admin may ask for the members, so what the person still is comes first.
    if (isMe) await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
    await refreshMembers();
  });
  const isInvited = status === 'invited';
  return (
    <tr>
      <td>
        <strong>
          <bdi>{name ?? email}</bdi>
        </strong>
        {isMe && <span className="muted"> (you)</span>}
        <br />
        <span className="muted tiny">{name && <bdi>{email}</bdi>}</span>
      </td>
      <td data-label="State">
        <State tone={isInvited ? 'wait' : 'ok'}>{isInvited ? 'Invited' : 'Joined'}</State>
        <br />
        <span className="muted tiny">
          {isInvited && expires_at ? (
            <>
              {inviter !== undefined && (
                <>
                  by <bdi>{inviter}</bdi>,{' '}
                </>
              )}
              until <Moment at={expires_at} />
            </>
          ) : (
            <Ago at={created_at} />
          )}
        </span>
      </td>
      <td data-label="Role">
        <span className="row">
          <select
            className="input fit"
            aria-label={`Role of ${email}`}
            value={asked}
            onChange={(event) => setAsked(event.target.value as Role)}
          >
            {ROLE_CHOICES.map(({ value }) => (
              <option key={value} value={value}>
                {ROLE_NAMES[value]}
              </option>
            ))}
          </select>
          {asked !== role && (
            <Button size="sm" busy={change.isBusy && 'Saving …'} onClick={() => change.submit()}>
              Save
            </Button>
          )}
        </span>
        {role === 'admin' && asked !== role && !isInvited && (
          <p className="muted tiny">Open invitations by this person are withdrawn.</p>
        )}
        {change.summary() && <p className="fault">{change.summary()}</p>}
      </td>
      <td className="num">
        <Button
          size="sm"
          look="danger"
          onClick={() => setRemoving(true)}
          {...(isOnlyAdmin && { off: 'Nobody else is an admin.' })}
        >
          {isInvited ? 'Withdraw' : 'Remove'}
          <span className="sr"> {email}</span>
        </Button>
        {isRemoving && (
          <ConfirmDialog
            title={isInvited ? `Withdraw the invitation of ${email}?` : `Remove ${email}?`}
            action={isInvited ? 'Withdraw it' : 'Remove the person'}
            onClose={() => setRemoving(false)}
            onConfirm={async () => {
              await bodyOf(client.DELETE('/v1/members/{id}', { params: { path: { id } } }));
              if (isMe) return beginAgain();
              onRemoved();
              setRemoving(false);
              await refreshMembers();
            }}
          >
            {isInvited
              ? 'The link no longer works.'
              : 'This person can no longer open the organization. Keys that this person made stop working, and open invitations by this person are withdrawn.'}
          </ConfirmDialog>
        )}
      </td>
    </tr>
  );
}
