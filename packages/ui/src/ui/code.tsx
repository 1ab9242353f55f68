import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

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
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
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
