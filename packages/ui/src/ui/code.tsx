import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { toast } from './toast.tsx';

/** Copies a text, or says that the browser does not. Returns true if the text was copied. */
export const copyText = (text: string, button: HTMLElement): Promise<boolean> =>
  copy(text, button).then(
    () => true,
    () => {
      toast('The browser does not copy. Select the text and copy it by keyboard.');
      return false;
    },
  );

/**
 * Browsers have a clipboard only on pages over HTTPS and on those of their own machine. Elsewhere a selected text is
 * copied as by keyboard. It stands beside the button, because nothing outside of a modal dialog can be selected.
 */
async function copy(text: string, button: HTMLElement): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.className = 'sr';
  area.value = text;
  button.after(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  button.focus();
  if (!isCopied) throw new Error('the browser does not copy');
}

/** Copies a text, and says so for two seconds. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className="btn ghost icon sm"
      aria-label={copied ? 'Copied' : label}
      onClick={({ currentTarget }) => void copyText(text, currentTarget).then(setCopied)}
    >
      {copied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
    </button>
  );
}

/** Shows a text to copy into a terminal or a program. */
export function Code({
  text,
  label,
  wraps = false,
}: {
  readonly text: string;
  readonly label: string;
  /** A command is read as a whole, so its lines are broken. */
  readonly wraps?: boolean;
}) {
  return (
    <div className={wraps ? 'code wraps' : 'code'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard. */}
      <section tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton text={text} label={`Copy ${label}`} />
    </div>
  );
}
