import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

interface Crumb {
  readonly label: string;
  readonly to: string;
}

interface PageProps {
  readonly title: string;
  /** The title of the window begins with it, where several pages have one title. */
  readonly part?: string;
  /** The pages above this one. */
  readonly above?: readonly Crumb[];
  readonly sub?: ReactNode;
  readonly actions?: ReactNode;
  readonly tabs?: ReactNode;
  readonly children: ReactNode;
}

/** A page has a title, which takes the focus when the page is opened, and the way up. */
export function Page({ title, part, above = [], sub, actions, tabs, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const names = [part, title, ...above.map(({ label }) => label), 'Quarry'];
    document.title = names.filter((name) => name !== undefined).join(' · ');
  }, [title, part, above]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      {above.length > 0 && (
        <nav aria-label="Where you are" className="small">
          <ol className="crumbs">
            {above.map(({ label, to }) => (
              <li key={to}>
                <Link to={to}>
                  <bdi>{label}</bdi>
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="head">
        <div className="grow">
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {sub && <div className="sub">{sub}</div>}
        </div>
        {actions && <div className="acts">{actions}</div>}
      </div>
      {tabs}
      <div className="stack">{children}</div>
    </>
  );
}

/** A card is a section with a title. */
export function Card({
  title,
  note,
  actions,
  children,
}: {
  readonly title: string;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {note !== undefined && <span className="muted small">{note}</span>}
        {actions && <div className="row end">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Says what will be here, with the button that brings it. */
export function Empty({
  children,
  action,
}: {
  readonly children: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="empty">
      <span>{children}</span>
      {action}
    </div>
  );
}
