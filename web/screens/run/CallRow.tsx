import {
  BookOpen,
  Bot,
  FilePen,
  FileText,
  FolderTree,
  GitBranch,
  GitPullRequest,
  Hand,
  type LucideIcon,
  MessageCircleQuestionMark,
  Search,
  SquareTerminal,
  Trash2,
  Wrench,
} from 'lucide-react';
import type { RunStatus } from '../../../domain/run.ts';
import { calledTool, callWords } from '../../call-words.ts';
import { commandOutcome } from '../../command-outcome.ts';
import { SKIPPED } from '../../decisions.ts';
import { firstLine } from '../../format.ts';
import { lookOf, TONE_INK } from '../../status.ts';
import { awaitsAnswer, awaitsDecision } from '../../transcript.ts';
import type { AskItem, CallItem } from '../../transcript-items.ts';
import { MapNode, type Shape } from './MapNode.tsx';
import { figures } from './Spent.tsx';

const ICONS: Record<string, LucideIcon> = {
  read_file: FileText,
  list_files: FolderTree,
  search_content: Search,
  search_project: Search,
  search_knowledge: BookOpen,
  write_file: FilePen,
  create_file: FilePen,
  update_file_properties: FilePen,
  get_file_metadata: FileText,
  delete_file: Trash2,
  command: SquareTerminal,
  workspace: FilePen,
  git: GitBranch,
  'git.open_pr': GitPullRequest,
};
/** By what is called, or by the domain it belongs to. */
export function toolIcon(call: Pick<CallItem, 'name' | 'arguments'>): LucideIcon {
  const { name } = calledTool(call);
  return ICONS[name] ?? ICONS[name.split('.')[0] ?? ''] ?? Wrench;
}

interface Props extends Shape {
  item: CallItem;
  isOver: boolean;
  expanded: boolean | null;
  below: RunStatus | null;
  onToggle: (key: string) => void;
}

export function CallRow({ item, isOver, expanded, below, onToggle, ...rest }: Props) {
  const { verb, object } = callWords(item);
  const { action, question, result, delegation } = item;
  const isOpen = !isOver && result === null;
  const waits = isOpen && (awaitsDecision(item) || awaitsAnswer(item));
  const failed = result !== null && !result.ok;
  const title = question ? (
    <>
      <span className="font-medium">Question</span> <span className="text-soft">{firstLine(question.question)}</span>
    </>
  ) : delegation ? (
    <>
      <span className="font-medium">{verb}</span> <span className="text-soft">{firstLine(object)}</span>
    </>
  ) : (
    <>
      {verb} <span className="font-mono text-small text-soft">{object}</span>
    </>
  );
  return (
    <MapNode
      icon={question ? MessageCircleQuestionMark : action ? Hand : delegation ? Bot : toolIcon(item)}
      tone={waits ? 'waits' : failed ? 'failed' : isOpen ? 'running' : 'quiet'}
      isActive={isOpen && !waits}
      title={title}
      aside={result && !question ? figures({ ...delegation?.spent, duration_ms: result.duration_ms }) : undefined}
      below={<Below item={item} waits={waits} status={delegation?.status ?? (isOpen ? below : null)} />}
      {...(expanded === null ? {} : { expanded, onToggle })}
      {...rest}
    />
  );
}

function Below({
  item,
  waits,
  status,
}: {
  item: CallItem;
  waits: boolean;
  /** Of the run it was handed to. */
  status: RunStatus | null;
}) {
  const { action, question, result } = item;
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
  const outcome = commandOutcome(item);
  if (outcome) return <span className={outcome.isGood ? 'text-done' : 'text-failed'}>{outcome.words}</span>;
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
  if (status) return <span className={TONE_INK[lookOf(status).tone]}>{lookOf(status).word}</span>;
  return null;
}

/** What a run below waits for, told where a person looks first. */
export function AskRow({ item, isOver, ...rest }: Shape & { item: AskItem; isOver: boolean }) {
  const { action, question } = item;
  const isOpen = !isOver && !item.is_over && (awaitsDecision(item) || awaitsAnswer(item));
  const words = action ? callWords({ name: action.type, arguments: action.arguments }) : null;
  return (
    <MapNode
      icon={question ? MessageCircleQuestionMark : Hand}
      tone={isOpen ? 'waits' : 'quiet'}
      title={
        <>
          <span className="font-medium">{item.agent_name}</span>{' '}
          <span className="text-soft">
            {words ? `${words.verb} ${action?.path ?? words.object}` : firstLine(question?.question ?? '')}
          </span>
        </>
      }
      below={
        isOpen ? (
          <span className="font-medium text-waits">{question ? 'Waits for answer' : 'Waits for approval'}</span>
        ) : (
          <span className="text-soft">{askOutcome(item)}</span>
        )
      }
      {...rest}
    />
  );
}

export function askOutcome({ action, question }: AskItem): string {
  if (action?.decision) return `${action.decision.confirmed ? 'Allowed' : 'Denied'} by ${action.decision.by.name}`;
  if (question?.answer) return `Answered by ${question.answer.by.name}`;
  return 'No longer needed';
}
