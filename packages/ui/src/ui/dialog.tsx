import { type ReactNode, useId } from 'react';
import { useModal } from './use-modal.ts';

/** A modal dialog of the browser: it holds the focus, closes with Escape, and gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const id = useId();
  const dialog = useModal();
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
