import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Package, Undo2 } from 'lucide-react';
import { Link } from 'react-router';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { whyFixed } from '../../definition-drafts.ts';
import { type Defined, type DefinedKind, definitionsApi, pageOf } from '../../definitions-api.ts';
import { plural } from '../../format.ts';
import { useMe, useWorkspace } from '../../queries.ts';
import { DefinitionMenu } from './DefinitionMenu.tsx';

interface Props {
  kind: DefinedKind;
  definition: Defined[DefinedKind];
  isPicked: boolean;
  /** Null where several cannot be chosen. */
  onPick: ((isPicked: boolean) => void) | null;
}

/** What tells it from its neighbours at a glance. */
function gist(definition: Defined[DefinedKind]): string {
  if ('entrypoint' in definition) return definition.entrypoint;
  if ('endpoints' in definition) return `${definition.base_url} · ${plural(definition.endpoints.length, 'endpoint')}`;
  const { pass_threshold, rules } = definition.config;
  const checks = Object.keys(rules).length;
  return `passes from ${pass_threshold}${checks > 0 ? ` · ${plural(checks, 'rule')}` : ''}`;
}

export function DefinitionRow({ kind, definition, isPicked, onPick }: Props) {
  const { id, name, description, version, is_builtin, is_active, updated_at } = definition;
  const role = useWorkspace()?.role;
  const { data: me } = useMe();
  const client = useQueryClient();
  const mayChange = whyFixed(kind, definition, role, me?.user.id) === null;
  const restore = useMutation({
    mutationFn: () => definitionsApi.change(kind, id, { is_active: true }),
    onSuccess: () => toast(`${name} is back`),
    onError: (error) => toast(error.message, 'failed'),
    onSettled: () => client.invalidateQueries({ queryKey: ['definitions', kind] }),
  });
  return (
    <li className="flex min-w-0 items-center gap-3 px-4 py-2.5 hover:bg-hover">
      {onPick && (
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          className={`size-4 shrink-0 accent-accent ${mayChange ? '' : 'invisible max-sm:hidden'}`}
          disabled={!mayChange}
          checked={isPicked}
          onChange={({ target }) => onPick(target.checked)}
        />
      )}
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex min-w-0 items-center gap-2">
          {is_active ? (
            <Link to={pageOf(kind, id)} className="truncate rounded font-medium hover:underline" title={name}>
              {name}
            </Link>
          ) : (
            <span className="truncate font-medium text-soft">{name}</span>
          )}
          {!is_builtin && <span className="shrink-0 text-small text-faint">v{version}</span>}
          {is_builtin && <Badge icon={Package} word="built in" title="Comes with Longhaul" />}
        </span>
        {description && <span className="line-clamp-2 break-words text-soft">{description}</span>}
        {/* A built-in tool leads to itself. */}
        {!is_builtin && (
          <span
            className={`truncate text-small text-faint ${kind === 'evaluator' ? '' : 'font-mono'}`}
            title={gist(definition)}
          >
            {gist(definition)}
          </span>
        )}
      </div>
      {!is_builtin && (
        <span className="shrink-0 text-small text-faint max-sm:hidden">
          <Ago at={updated_at} />
        </span>
      )}
      {!is_active ? (
        <Button busy={restore.isPending} onClick={() => restore.mutate()}>
          <Undo2 aria-hidden size={14} /> Bring back
        </Button>
      ) : (
        mayChange && <DefinitionMenu kind={kind} definition={definition} />
      )}
    </li>
  );
}
