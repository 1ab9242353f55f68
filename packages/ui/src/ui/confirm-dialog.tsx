import type { ReactNode } from 'react';
import { useSubmit } from '../lib/use-submit.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormFault } from './form-fault.tsx';

/** Says what goes, and does it when the person agrees. */
export function ConfirmDialog({
  title,
  action,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const form = useSubmit(onConfirm);
  return (
    <Dialog title={title} onClose={onClose} isBusy={form.isBusy}>
      <p className="soft">{children}</p>
      <FormFault of={form} title="That was not done" />
      <div className="acts">
        <Button busy={form.isBusy && 'Cancel'} onClick={onClose}>
          Cancel
        </Button>
        <Button look="sure" busy={form.isBusy && 'Working …'} onClick={() => form.submit()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
