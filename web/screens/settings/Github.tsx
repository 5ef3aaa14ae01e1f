import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { GitPullRequest } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useWorkspace } from '../../queries.ts';
import { isAdmin } from '../../roles.ts';
import { workspaceApi } from '../../workspace-api.ts';
import { Section } from './Section.tsx';

const ABOUT =
  'With it on, agents on git notebooks open pull requests for what they have pushed. Off, they are told that they cannot.';

export function Github() {
  const workspace = useWorkspace();
  if (!workspace || !isAdmin(workspace.role)) return null;
  return (
    <Section anchor="github" title="GitHub" about={ABOUT}>
      <GithubForm key={workspace.id} workspaceId={workspace.id} />
    </Section>
  );
}

function GithubForm({ workspaceId }: { workspaceId: string }) {
  const client = useQueryClient();
  const queryKey = ['github-integration', workspaceId];
  const [url, setUrl] = useState('');
  const [token, setToken] = useState('');
  const [asks, setAsks] = useState(false);
  const now = useQuery({ queryKey, queryFn: () => workspaceApi.github(workspaceId) });
  const state = now.data;
  useEffect(() => setUrl(state?.api_url ?? ''), [state?.api_url]);
  const refresh = () => client.invalidateQueries({ queryKey });
  const set = useMutation({
    mutationFn: (enabled: boolean) =>
      workspaceApi.setGithub({
        workspace_id: workspaceId,
        enabled,
        api_url: url.trim(),
        ...(token.trim() && { token: token.trim() }),
      }),
    onSuccess: ({ enabled }) => {
      setToken('');
      toast(enabled ? 'Pull requests are on' : 'Pull requests are off');
    },
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => workspaceApi.removeGithub(workspaceId),
    onSuccess: () => toast('The token is removed'),
    onSettled: refresh,
  });
  if (now.error && !state) return <ErrorNote title="The integration could not be read" error={now.error} />;
  if (!state) return <Skeleton className="h-10 w-full" />;
  const problem = set.error ?? remove.error;
  const isSame = token.trim() === '' && url.trim() === state.api_url;
  const cannot = !state.has_token && token.trim() === '';
  return (
    <form
      aria-label="GitHub integration"
      className="flex flex-wrap items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate(true);
      }}
    >
      <p className="flex w-full items-center gap-2" role="status">
        <GitPullRequest aria-hidden size={14} className={state.enabled ? 'text-done' : 'text-faint'} />
        {state.enabled ? 'On' : state.has_token ? 'Off; the token is kept' : 'Off; no token is set'}
      </p>
      <div className="min-w-64 flex-1">
        <TextField
          label="GitHub token"
          type="password"
          autoComplete="off"
          className="font-mono"
          placeholder={state.has_token ? 'kept; type to replace it' : 'github_pat_…'}
          hint="With the right to write pull requests. It is sealed, and never shown again."
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </div>
      <div className="min-w-64 flex-1">
        <TextField
          label="API address"
          className="font-mono"
          required
          placeholder="https://api.github.com"
          hint="Of a server of your own: https://host/api/v3"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </div>
      <div className="flex w-full flex-wrap gap-3">
        <Button type="submit" busy={set.isPending} disabled={cannot || (state.enabled && isSame)}>
          {state.enabled ? 'Save' : 'Turn on'}
        </Button>
        {state.enabled && (
          <Button busy={set.isPending} onClick={() => set.mutate(false)}>
            Turn off
          </Button>
        )}
        {state.has_token && (
          <Button kind="danger" busy={remove.isPending} onClick={() => setAsks(true)}>
            Remove token
          </Button>
        )}
      </div>
      {problem && (
        <div className="w-full">
          <ErrorNote title="The integration was not changed" error={problem} />
        </div>
      )}
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title="Remove the GitHub token?"
        description="Pull requests are off from then on, until a token is set again."
        confirm="Remove token"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
    </form>
  );
}
