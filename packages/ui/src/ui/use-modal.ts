import { type RefObject, useEffect, useRef } from 'react';

/**
 * Opens a dialog of the browser while the component is shown. The browser gives the focus back only when it closes the
 * dialog itself, as with Escape; this does so when the dialog is taken out of the page, too.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => giveFocusBack(opener);
  }, []);
  return dialog;
}

/** The opener may be gone with what the dialog has deleted, or be in a menu that has closed: then its button takes the focus. */
function giveFocusBack(opener: Element | null): void {
  const menu = opener?.closest('[popover]')?.id;
  const menuButton = menu ? document.querySelector(`[popovertarget="${CSS.escape(menu)}"]`) : null;
  for (const target of [opener, menuButton, document.querySelector('main h1')]) {
    if (document.activeElement !== document.body) return;
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  }
}
