import { useDeferredValue, useMemo, useState } from 'react';
import type { Known } from '../../../domain/step-graph.ts';
import type { FlowStep } from '../../../domain/workflow-definition.ts';
import { type FileProblem, readWorkflowFile, type WorkflowText } from '../../../domain/workflow-file.ts';

export const FIRST_WORKFLOW = `name: My workflow
description: ""
steps:
  - id: look
    type: tool
    tool: list_files
  - id: ok
    type: approval
    message: There are {{ size(steps.look.output.files) }} files. Go on?
  - id: nap
    type: wait
    duration: 5
`;

export interface DraftState extends WorkflowText {
  text: string;
  change: (text: string) => void;
  /** The steps as they were last readable: the picture stays while somebody types. */
  steps: FlowStep[];
  byStep: ReadonlyMap<string, readonly string[]>;
  wrongLines: number[];
}

const said = ({ line, message }: FileProblem): string => (line === null ? message : `Line ${line}: ${message}`);

/** The text of a workflow, read anew as it is typed. */
export function useWorkflowText(initial: string, known: Known): DraftState {
  const [text, setText] = useState(initial);
  const [last, setLast] = useState<FlowStep[]>(() => readWorkflowFile(initial).file?.steps ?? []);
  const settled = useDeferredValue(text);
  const read = useMemo(() => readWorkflowFile(settled, known), [settled, known]);
  const { file, problems } = read;
  if (file && JSON.stringify(file.steps) !== JSON.stringify(last)) setLast(file.steps);
  const byStep = useMemo(() => {
    const found = new Map<string, string[]>();
    for (const problem of problems) {
      if (problem.step !== null) found.set(problem.step, [...(found.get(problem.step) ?? []), said(problem)]);
    }
    return found;
  }, [problems]);
  const wrongLines = useMemo(() => problems.flatMap(({ line }) => line ?? []), [problems]);
  return { file, problems, text, change: setText, steps: last, byStep, wrongLines };
}

/** The line a step begins on. */
export function lineOfStep(text: string, id: string): number | null {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => new RegExp(`^[\\s-]*id:\\s*["']?${id}["']?\\s*$`).test(line));
  return at < 0 ? null : at + 1;
}
