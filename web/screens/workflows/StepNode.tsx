import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { CircleAlert } from 'lucide-react';
import { createContext, useContext } from 'react';
import type { FlowStep } from '../../../domain/workflow-definition.ts';
import { TONE_INK, TONE_WASH } from '../../status.ts';
import { STEP_ICONS, type StepLook, stepWords } from '../../workflow-words.ts';

export interface GraphState {
  looks: ReadonlyMap<string, StepLook>;
  /** What is wrong with a step, where something is. */
  problems: ReadonlyMap<string, readonly string[]>;
  /** What the agent, tool or workflow of a step is called. */
  names: Readonly<Record<string, string>>;
  selected: string | null;
  onSelect: (id: string) => void;
}

export const GraphContext = createContext<GraphState>({
  looks: new Map(),
  problems: new Map(),
  names: {},
  selected: null,
  onSelect: () => undefined,
});

export type StepNodeData = Node<{ step: FlowStep; branch: string | null; isBox: boolean }, 'step'>;

const END = 'pointer-events-none !size-1 !min-h-0 !min-w-0 !border-0 !bg-transparent';

/** A step in the picture; one that is made of others is a box around them. */
export function StepNode({ data: { step, branch, isBox } }: NodeProps<StepNodeData>) {
  const { looks, problems, names, selected, onSelect } = useContext(GraphContext);
  const look = looks.get(step.id);
  const wrong = problems.get(step.id) ?? [];
  const Icon = STEP_ICONS[step.type];
  const words = stepWords(step, names[step.id]);
  const border =
    wrong.length > 0
      ? 'border-failed'
      : selected === step.id
        ? 'border-accent-ink ring-2 ring-accent-ink/40'
        : look
          ? `border-current ${TONE_INK[look.tone]}`
          : 'border-line';
  const ground = look ? TONE_WASH[look.tone] : 'bg-surface';
  return (
    <div
      className={`size-full rounded-lg border ${border} ${isBox ? 'bg-canvas/60' : ground}`}
      data-step={step.id}
      data-status={look?.word ?? ''}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} className={END} />
      {/* The library lets the mouse through nodes that can be neither moved nor marked. */}
      <button
        type="button"
        aria-pressed={selected === step.id}
        title={wrong.length > 0 ? wrong.join('\n') : words}
        onClick={() => onSelect(step.id)}
        className={`nodrag nopan pointer-events-auto flex w-full items-start gap-2 rounded-lg px-3 py-2 text-left text-ink ${isBox ? ground : 'h-full'}`}
      >
        <Icon aria-hidden size={15} className={`mt-0.5 shrink-0 ${look ? TONE_INK[look.tone] : 'text-faint'}`} />
        <span className="flex min-w-0 flex-1 flex-col">
          <span className="flex min-w-0 items-center gap-1.5">
            <span className="truncate font-medium">{step.name ?? step.id}</span>
            {branch && <span className="shrink-0 rounded bg-hover px-1 text-small text-soft">{branch}</span>}
          </span>
          <span className="truncate text-small text-soft">
            {look ? (
              <span className={TONE_INK[look.tone]}>
                {look.word}
                {look.count && ` · ${look.count}`}
              </span>
            ) : (
              words
            )}
          </span>
        </span>
        {wrong.length > 0 && (
          <CircleAlert aria-label="Has a problem" size={15} className="mt-0.5 shrink-0 text-failed" />
        )}
      </button>
      <Handle type="source" position={Position.Bottom} isConnectable={false} className={END} />
    </div>
  );
}
