import { type ReactNode, useId } from 'react';
import { useModal } from './use-modal.ts';

/** A modal dialog of the browser: it holds the focus, closes with Escape, and gives the focus back. */
export function Dialog({
  title,
  onClose,
  isBusy = false,
  children,
}: {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** While it is set, Escape does nothing: the dialog shows how the work ends. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}) {
  const id = useId();
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      closedby={isBusy ? 'none' : undefined}
      // Browsers that do not know `closedby` ask here before they close it.
      onCancel={(event) => isBusy && event.preventDefault()}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
