import '@fontsource-variable/geist/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';
import './styles/data.css';
import './styles/progress.css';
import './styles/welcome.css';
import './styles/find.css';
import './styles/lists.css';
import './styles/connection.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { router } from './app/router.tsx';
import { FileNotLoaded } from './lib/page-file.ts';
import { Refusal } from './lib/refusal.ts';
import { applyTheme } from './lib/theme.ts';
import { Toasts } from './ui/toast.tsx';

applyTheme();
createRoot(document.getElementById('root') as HTMLElement, {
  // A page says itself what the service has refused, and that a file is missing. React would report a fault of the page.
  onCaughtError: (error) => {
    if (!(error instanceof Refusal || error instanceof FileNotLoaded)) reportError(error);
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
