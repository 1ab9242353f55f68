/** The converter of each kind, which is loaded when the first document of the kind comes. */
import type { Convert } from './convert.ts';
import type { DocumentKind } from './kinds/table.ts';

export const CONVERTERS: Record<DocumentKind, () => Promise<{ readonly convert: Convert }>> = {
  html: () => import('./kinds/html.ts'),
  pdf: () => import('./kinds/pdf.ts'),
  docx: () => import('./kinds/docx.ts'),
  image: () => import('./kinds/image.ts'),
  recording: () => import('./kinds/recording.ts'),
};
