import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const ICONS = { warn: TriangleAlert, bad: CircleAlert, ok: CircleCheck, info: Info };

interface BannerProps {
  readonly tone: keyof typeof ICONS;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** These buttons are the way on. */
  readonly actions?: ReactNode;
}

/** Says what has happened, what it means, and what to do. */
export function Banner({ tone, title, children, actions }: BannerProps) {
  const Icon = ICONS[tone];
  return (
    <section className={`banner ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon size={18} aria-hidden="true" />
      <div>
        <h2>{title}</h2>
        {children && <p>{children}</p>}
      </div>
      {actions && <div className="acts">{actions}</div>}
    </section>
  );
}
