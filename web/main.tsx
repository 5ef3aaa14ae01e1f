import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { App } from './App.tsx';
import { newQueryClient } from './queries.ts';
import { session } from './session.ts';
import './theme/theme.ts';
import './theme/tokens.css';

const client = newQueryClient();
// What one person has seen must not be there for the next who signs in on this browser.
session.onChange(() => session.token() === null && client.clear());

// A router that can be asked to wait, for screens that hold what is not saved.
const router = createBrowserRouter([{ path: '*', element: <App /> }]);

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
