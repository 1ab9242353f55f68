import type { Schemas } from '../../api/client.ts';
import { invitationWords } from '../../lib/invitation.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';

/** Shows the link of a new invitation, and says whether it was mailed. */
export function Invited({
  invitation,
  onDone,
}: {
  readonly invitation: Schemas['Invitation'];
  readonly onDone: () => void;
}) {
  const { tone, title, text } = invitationWords(invitation);
  const isSent = invitation.mail.status === 'sent';
  return (
    <>
      <Banner
        tone={tone}
        title={title}
        actions={<Button onClick={onDone}>{isSent ? 'Done' : 'I have sent it'}</Button>}
      >
        {text}
      </Banner>
      <Code text={invitation.invitation_url} label="the invitation" />
    </>
  );
}
