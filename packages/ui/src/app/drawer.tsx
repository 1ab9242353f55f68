import { useRouter } from '@tanstack/react-router';
import { Menu as MenuIcon, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';

/** The navigation of a narrow window: a modal dialog behind a button. */
export function Drawer({ children }: { readonly children: ReactNode }) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const close = () => dialog.current?.close();
  // It closes before the next page is there, because nothing outside of a modal dialog can take the focus.
  useEffect(() => router.subscribe('onBeforeNavigate', () => dialog.current?.close()), [router]);
  return (
    <>
      <Button
        look="ghost"
        icon
        className="menu"
        aria-label="Menu"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <MenuIcon size={18} aria-hidden="true" />
      </Button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too. */}
      <dialog
        ref={dialog}
        className="drawer"
        aria-label="Navigation"
        onClose={() => setOpen(false)}
        onClick={({ target, currentTarget }) => {
          // The backdrop lies beside the dialog and is a part of it.
          if (target === currentTarget) close();
        }}
      >
        {isOpen && (
          <div className="side">
            <Button
              look="ghost"
              icon
              size="sm"
              className="close"
              aria-label="Close"
              onClick={close}
            >
              <X size={18} aria-hidden="true" />
            </Button>
            {children}
          </div>
        )}
      </dialog>
    </>
  );
}
