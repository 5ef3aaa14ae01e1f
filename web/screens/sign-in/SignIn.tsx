import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { Working } from '../../components/Working.tsx';
import { session } from '../../session.ts';

/** Taken out of the address as soon as it is read, so that it stays in no history, bookmark or screenshot. */
function takeLinkToken(): string | null {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (window.location.hash !== '') {
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  }
  return token;
}

/** Works once: a second effect of the same page must not spend it again. */
let spent: string | null = null;

/** Only places within this page: a link must not lead elsewhere. */
const within = (next: string | null): string => (next?.startsWith('/') && !next.startsWith('//') ? next : '/');

export function SignIn() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const token = session.useToken();
  const next = within(search.get('next'));
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [link] = useState(takeLinkToken);

  const enter = ({ token: given }: { token: string }): void => {
    session.begin(given);
    navigate(next, { replace: true });
  };
  const { mutate: exchange, ...byLink } = useMutation({ mutationFn: api.signInByLink, onSuccess: enter });
  const byPassword = useMutation({ mutationFn: () => api.signIn(email, password), onSuccess: enter });

  useEffect(() => {
    document.title = 'Sign in · Longhaul';
    if (link === null || link === spent) return;
    spent = link;
    exchange(link);
  }, [link, exchange]);

  if (token !== null && link === null) return <Navigate to={next} replace />;
  return (
    <main className="flex min-h-dvh items-center justify-center bg-canvas p-4">
      <div className="flex w-full max-w-sm flex-col gap-6 rounded-xl border border-line bg-surface p-8 max-sm:p-6">
        <div className="flex flex-col gap-3">
          <img src="/favicon.svg" alt="" width={32} height={32} />
          <div>
            <h1 className="text-title font-semibold tracking-tight">Sign in to Longhaul</h1>
            <p className="text-soft">Agents that survive restarts and wait for you.</p>
          </div>
        </div>
        {byLink.isPending ? (
          <div role="status">
            <Working word="Signing you in with the link…" />
          </div>
        ) : (
          <>
            {byLink.error && <ErrorNote title="The sign-in link did not work" error={byLink.error} />}
            <form
              className="flex flex-col gap-4"
              onSubmit={(event) => {
                event.preventDefault();
                byLink.reset();
                byPassword.mutate();
              }}
            >
              <TextField
                label="E-mail"
                type="email"
                autoComplete="username"
                required
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
              <TextField
                label="Password"
                type="password"
                autoComplete="current-password"
                required
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
              {byPassword.error && <ErrorNote title="You are not signed in" error={byPassword.error} />}
              <Button type="submit" kind="primary" busy={byPassword.isPending} className="h-9">
                Sign in
              </Button>
            </form>
            <p className="text-small text-faint">
              First time here? Open the one-time link that <code className="font-mono">npm start</code> printed in the
              terminal.
            </p>
          </>
        )}
      </div>
    </main>
  );
}
