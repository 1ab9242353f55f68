import { Ellipsis, type LucideIcon } from 'lucide-react';
import { type ReactNode, useId, useRef } from 'react';

/** An action is at most so high with its share of the padding. */
const MOST_OF_ITEM_PX = 56;

interface MenuButtonProps {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly shortcut?: string;
  readonly children: ReactNode;
}

/** The further actions of a row or a page. `name` says whose actions they are. */
export const Menu = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}) => (
  <MenuButton label={`More for ${name}`} icon={Ellipsis} shortcut=".">
    {children}
  </MenuButton>
);

/**
 * A list of actions behind a button, as a popover of the browser: it closes with Escape, with a click elsewhere, and
 * after an action.
 */
export function MenuButton({ label, icon: Icon, shortcut, children }: MenuButtonProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  function place(): void {
    if (!button.current || !list.current) return;
    const { top, bottom, right } = button.current.getBoundingClientRect();
    const { clientHeight } = document.documentElement;
    // The list opens upwards only where it would end below the window. It has no height before it is open.
    const isLow = bottom + list.current.childElementCount * MOST_OF_ITEM_PX > clientHeight;
    list.current.style.top = isLow ? 'auto' : `${bottom}px`;
    list.current.style.bottom = isLow ? `${clientHeight - top}px` : 'auto';
    list.current.style.right = `${document.documentElement.clientWidth - right}px`;
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn ghost icon sm"
        aria-label={label}
        title={label}
        aria-keyshortcuts={shortcut}
        popoverTarget={id}
      >
        <Icon size={16} aria-hidden="true" />
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: its buttons are what is pressed. */}
      <div
        ref={list}
        id={id}
        popover="auto"
        className="menu-list"
        onBeforeToggle={place}
        onClick={() => list.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}
