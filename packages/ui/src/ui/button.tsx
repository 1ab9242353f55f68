import { type ComponentProps, type ReactNode, useId } from 'react';

type ButtonLook = 'primary' | 'plain' | 'ghost' | 'danger' | 'sure';

interface Looks {
  readonly look?: ButtonLook;
  readonly size?: 'sm' | 'large';
  /** The button has an icon and no text, so it needs `aria-label`. */
  readonly icon?: boolean;
}

export const buttonClass = ({ look = 'plain', size, icon }: Looks): string =>
  ['btn', look !== 'plain' && look, size, icon && 'icon'].filter(Boolean).join(' ');

interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'>, Looks {
  /** While it is set, the button shows this instead of its text, and cannot be pressed. */
  readonly busy?: ReactNode;
  /** The button cannot be pressed for this reason, which stands beside it for everybody to read. */
  readonly off?: string;
}

/** A button that cannot be pressed stays in the order of focus, so that its reason can be read. */
export function Button({ look, size, icon, busy, off, children, ...props }: ButtonProps) {
  const isOff = Boolean(busy) || off !== undefined;
  const id = useId();
  const button = (
    <button
      type="button"
      aria-describedby={off && id}
      {...props}
      className={[buttonClass({ look, size, icon }), props.className].filter(Boolean).join(' ')}
      aria-disabled={isOff || undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else props.onClick?.(event);
      }}
    >
      {busy || children}
    </button>
  );
  if (off === undefined) return button;
  return (
    <span className="row wrap">
      {button}
      <span className="muted small" id={id}>
        {off}
      </span>
    </span>
  );
}
