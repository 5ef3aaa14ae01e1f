import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileText, FileType2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { KnowledgeSource } from '../../../domain/knowledge.ts';
import { api } from '../../api.ts';
import { IconButton } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { plural, size } from '../../format.ts';
import { useMe, useWorkspace } from '../../queries.ts';

const KINDS = { text: 'Text', markdown: 'Markdown', pdf: 'PDF' };

export const sourceFacts = ({ kind, bytes, lines, pages }: KnowledgeSource): string =>
  [KINDS[kind], size(bytes), pages === null ? plural(lines, 'line') : plural(pages, 'page')].join(' · ');

export function SourceLine({ source }: { source: KnowledgeSource }) {
  const [asks, setAsks] = useState(false);
  const client = useQueryClient();
  const { data: me } = useMe();
  const mayRemove = useWorkspace()?.role === 'admin' || source.created_by === me?.user.id;
  const remove = useMutation({
    mutationFn: () => api.removeKnowledge(source.id),
    onSuccess: () => toast(`Removed ${source.name}`),
    onError: (error) => toast(error.message, 'failed'),
    onSettled: () => client.invalidateQueries({ queryKey: ['knowledge'] }),
  });
  const Icon = source.kind === 'pdf' ? FileType2 : FileText;
  return (
    <li className="relative flex min-h-14 items-center gap-3 px-4 py-2 hover:bg-hover">
      <Icon aria-hidden size={16} className="shrink-0 text-faint" />
      <span className="flex min-w-0 flex-1 flex-col">
        <Link
          to={`/knowledge/${encodeURIComponent(source.id)}`}
          title={source.name}
          className="truncate font-medium after:absolute after:inset-0 after:-outline-offset-2"
        >
          {source.name}
        </Link>
        <span className="truncate text-small text-faint">
          {sourceFacts(source)} · added <Ago at={source.created_at} className="relative" />
        </span>
      </span>
      {mayRemove && (
        <IconButton
          label={`Remove ${source.name}`}
          className="relative"
          busy={remove.isPending}
          onClick={() => setAsks(true)}
        >
          <Trash2 aria-hidden size={15} />
        </IconButton>
      )}
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={`Remove “${source.name}”?`}
        description="No agent finds it from now on. What runs have already quoted from it stays. It cannot be brought back, only added again."
        confirm="Remove document"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
    </li>
  );
}
