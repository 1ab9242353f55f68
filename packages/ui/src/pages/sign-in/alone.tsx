import { type ReactNode, useEffect } from 'react';
import { Logo } from '../../ui/logo.tsx';

/** A page for somebody who has not signed in yet. */
export function Alone({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Quarry`;
  }, [title]);
  return (
    <main className="alone">
      <Logo />
      <div className="card stack">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
