import type { ReactNode } from 'react';
import { useSubmit } from '../lib/use-submit.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormFault } from './form-fault.tsx';

/** Says what goes, and deletes it when the person agrees. */
export function DeleteDialog({
  title,
  action,
  onDelete,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly onDelete: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const form = useSubmit(onDelete);
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="soft">{children}</p>
      <FormFault of={form} title="Nothing was deleted" />
      <div className="acts">
        <Button onClick={onClose}>Keep it</Button>
        <Button look="sure" busy={form.isBusy && 'Deleting …'} onClick={() => form.submit()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
