import {
  FilePen,
  FileText,
  FolderTree,
  Hand,
  type LucideIcon,
  MessageCircleQuestionMark,
  Search,
  Wrench,
} from 'lucide-react';
import { callWords } from '../../activity.ts';
import { SKIPPED } from '../../decisions.ts';
import { duration, firstLine } from '../../format.ts';
import type { CallItem } from '../../transcript.ts';
import { MapNode, type Shape } from './MapNode.tsx';

const ICONS: Record<string, LucideIcon> = {
  read_file: FileText,
  list_files: FolderTree,
  search_content: Search,
  search_project: Search,
  write_file: FilePen,
  create_file: FilePen,
};

export function CallRow({ item, isOver, ...rest }: Shape & { item: CallItem; isOver: boolean; nested: boolean }) {
  const { verb, object } = callWords(item);
  const { action, question, result } = item;
  const isOpen = !isOver && result === null;
  const waits =
    isOpen && ((action !== null && action.decision === null) || (question !== null && question.answer === null));
  const failed = result !== null && !result.ok;
  const title = question ? (
    <>
      <span className="font-medium">Question</span> <span className="text-soft">{firstLine(question.question)}</span>
    </>
  ) : (
    <>
      {verb} <span className="font-mono text-small text-soft">{object}</span>
    </>
  );
  return (
    <MapNode
      id={item.key}
      icon={question ? MessageCircleQuestionMark : action ? Hand : (ICONS[item.name] ?? Wrench)}
      tone={waits ? 'waits' : failed ? 'failed' : isOpen ? 'running' : 'quiet'}
      isActive={isOpen && !waits}
      title={title}
      aside={result && !question ? duration(result.duration_ms) : undefined}
      below={<Below item={item} waits={waits} />}
      {...rest}
    />
  );
}

function Below({ item: { action, question, result }, waits }: { item: CallItem; waits: boolean }) {
  if (waits)
    return <span className="font-medium text-waits">{question ? 'Waits for answer' : 'Waits for approval'}</span>;
  if (action?.decision && !action.decision.confirmed) {
    return (
      <span className="text-failed">
        Denied by {action.decision.by.name}
        {action.decision.reason ? `: ${action.decision.reason}` : ''}
      </span>
    );
  }
  if (result?.error) return <span className="text-failed">{result.error.message}</span>;
  if (action?.decision)
    return (
      <span className="text-done">
        Allowed by {action.decision.by.name}
        {action.decision.edited ? ', edited' : ''}
      </span>
    );
  if (question?.answer) {
    return <span className="text-soft">{question.answer.text === SKIPPED ? 'Skipped' : question.answer.text}</span>;
  }
  return null;
}
