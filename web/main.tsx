import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { App } from './App.tsx';
import { newQueryClient } from './queries.ts';
import { Stopped } from './screens/frame/Stopped.tsx';
import { fetchAhead } from './screens.ts';
import { session } from './session.ts';
import './theme/theme.ts';
import './theme/tokens.css';

const client = newQueryClient();
// What one person has seen must not be there for the next who signs in on this browser.
session.onChange(() => session.token() === null && client.clear());

/** A router that can hold back a move to another page, for those who have not saved. */
const router = createBrowserRouter([{ path: '*', Component: App, ErrorBoundary: Stopped }]);

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

window.addEventListener('load', fetchAhead, { once: true });
