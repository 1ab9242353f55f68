import type { ReactNode } from 'react';
import { Card } from '../../ui/page.tsx';

/** Groups fields: under a title, behind a line that opens them, or plainly. */
export function FormPart({
  title,
  folded,
  children,
}: {
  readonly title?: string;
  readonly folded?: string;
  readonly children: ReactNode;
}) {
  if (title !== undefined)
    return (
      <Card title={title}>
        <div className="pad form">{children}</div>
      </Card>
    );
  if (folded === undefined) return <div className="form">{children}</div>;
  return (
    <details className="folded">
      <summary>{folded}</summary>
      <div className="form">{children}</div>
    </details>
  );
}
